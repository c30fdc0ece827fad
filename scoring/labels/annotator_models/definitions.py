"""What each model of annotators computes and when not to use it, in sentences for readers."""

from shell.messages import message as _

DEFINITIONS = {
    "dawid-skene": _(
        "The model of Dawid and Skene [DawidSkene1979]: if a category is right, each person has a"
        " probability of choosing it and each of the others. Fitted by maximum likelihood with the"
        " EM algorithm, which starts from the shares of the answers. A person's ability is the"
        " probability that a label of theirs is right. Use it if people answered many items each"
        " and mistake some categories for others. With few answers per person or a rare category,"
        " the majority is right more often. The probabilities of the labels are too high, because"
        " they take the answers as independent and the confusions as known."
    ),
    "mace": _(
        "MACE [Hovy2013]: each person knows the right label, or answers blindly with categories of"
        " their own preference. Fitted by variational Bayes with the priors of crowd-kit."
        " A person's ability is the probability that they do not answer blindly. Use it if some"
        " people click without reading. It has no gain if nobody does, and it cannot tell"
        " difficult items from blind answers. If people hold different views, it takes those of"
        " the smaller group for blind answers. The probabilities of the labels are too high if"
        " items differ in difficulty."
    ),
    "glad": _(
        "GLAD [Whitehill2009]: people differ in ability and items in difficulty, and all wrong"
        " categories are equally probable. The most probable abilities and difficulties, with"
        " normal priors, are computed. A person's ability is the probability of the right label"
        " for an item of average difficulty. Use it to find careless people and difficult items."
        " With few answers per item, difficulties are hardly known. Do not use it if people"
        " mistake certain categories for others. If people hold different views, it takes"
        " those of the smaller group for mistakes."
    ),
}
