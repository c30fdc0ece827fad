"""Function words of some languages: so frequent that two sentences having them says nothing."""

_EN = """
a about above after again against all also although am among an and any are as at be because been
before being below between both but by can could did do does doing down during each either else
even ever every few for from further had has have having he her here hers him his how however i if
in into is it its itself just may me might more most much must my neither no nor not now of off on
once one only onto or other our ours out over own per rather said same she should since so some
such than that the their theirs them then there these they this those though through thus to too
toward towards under until up upon us very via was we were what when where whether which while who
whom whose why will with within without would yet you your yours
"""

_DE = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch
auf aus bei beim bin bis bist da dabei dadurch dafür dagegen daher dahin damit danach daneben dann
daran darauf daraus darin darüber darum darunter das dass davon davor dazu dein deine dem den
denen denn der deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein
eine einem einen einer eines einige einigem einigen einiger einiges er es etwa etwas euch euer
eure für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre
ihrem ihren ihrer ihres im in indem ins ist ja jede jedem jeden jeder jedes jedoch jene jenem
jenen jener jenes jetzt kann kein keine keinem keinen keiner keines können könnte man mehr mein
meine mich mir mit muss müssen nach nachdem nicht nichts noch nun nur ob obwohl oder ohne schon
sehr sein seine seinem seinen seiner seines seit selbst sich sie sind so sobald sogar solche
solchem solchen solcher solches soll sollen sollte sondern sonst sowie sowohl über um und uns
unser unsere unter viel vom von vor während war waren warum was weil weiter welche welchem welchen
welcher welches wenn wer werde werden wie wieder will wir wird wo wobei wollen wurde wurden würde
würden zu zum zur zwar zwischen
"""

_CS = """
a aby ač ačkoli ale anebo ani aniž ano asi aspoň až bez beze bude budeme budou budu by byl byla
byli bylo byly bych bychom byste být během co což či další díky do dokud ho i já jak jakmile jako
jaký jaká jaké je jeho jej její jejich jejichž jejího jen jenž jenže ještě jemu ji jí jich jím
jimi jimž jinak jiný jiná jiné jsem jsi jsme jsou jste k kam kde kdo kdy když ke kolem kromě která
které kterého kterém kterému kteří kterou který kterých kterým kterými ku kvůli má mají mě mezi mi
mimo mne mnou mu můj může na nad nade nám námi nás náš ne nebo nebyl nebyla nebyli nebylo nebyly
neboť nechť nejsou než ní nic nich nim ním nimi není nýbrž o ob od ode on ona oni ono ony ovšem
pak po pod pode podle pokud pouze právě pro proč protože proti před přede při přes přese přesto s
sám se si skrz sobě spolu své svého svém svému svou svůj svých svým svými ta tak také takže tam té
tedy těch tehdy těm těmi ten tento této tím tímto tito to toho tohoto tom tomto tomu tomuto totiž
tu tuto ty tyto u už v vám vámi vás váš ve vedle více však vše všech všechen všechno všichni vy z
za zatímco zda zde ze že
"""

STOP_WORDS: dict[str, tuple[str, ...]] = {
    language: tuple(words.split()) for language, words in {"en": _EN, "de": _DE, "cs": _CS}.items()
}
