"""What each model of annotators computes and when not to use it, in sentences for readers."""

from shell.messages import message as _

DEFINITIONS = {
    "dawid-skene": _(
        "The model of Dawid and Skene [DawidSkene1979], fitted by maximum likelihood with the EM"
        " algorithm, which starts from the shares of the answers. Each person has a probability of"
        " choosing each category if another one is right."
    ),
}
