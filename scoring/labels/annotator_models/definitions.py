"""What each model of annotators computes and when not to use it, in sentences for readers.

What they say of simulations is in the table of docs/statistics.md.
"""

from shell.messages import message as _

DEFINITIONS = {
    "dawid-skene": _(
        "The model of Dawid and Skene [DawidSkene1979]: each person has a probability of choosing"
        " each category if another one is right. Fitted by maximum likelihood with the EM"
        " algorithm, which starts from the shares of the answers. A person's ability is the"
        " probability that a label of theirs is right. Use it if people gave many labels each and"
        " mistake certain categories for others. In simulations, the majority was right more often"
        " with 15 labels per person, and if one of two categories was rare. The probabilities of"
        " the labels are too high, because they take the estimated confusions as certain."
    ),
    "mace": _(
        "MACE [Hovy2013]: each person knows the right label, or answers blindly with categories of"
        " their own preference. Fitted by variational Bayes with the priors of crowd-kit. A"
        " person's ability is the probability that they do not answer blindly. Use it if some"
        " people click without reading. In simulations, the majority was right more often if"
        " nobody clicked and people gave few labels each. It was right far more often if one of"
        " two categories was rare. If items differ in difficulty, the"
        " probabilities of the labels are too high. If people hold different views, those of the"
        " smaller group count as blind answers."
    ),
    "glad": _(
        "GLAD [Whitehill2009]: people differ in ability and items in difficulty, and all wrong"
        " categories are equally probable. The most probable abilities and difficulties are"
        " computed, with normal priors. A person's ability is the probability of the right label"
        " for an item of average difficulty. Use it if some people are careless. With few people"
        " who are equally able, the majority was right more often in simulations. If items differ"
        " much in difficulty, the probabilities of the labels are too high. If people hold"
        " different views, those of the smaller group count as mistakes."
    ),
}
