"""What `scoring.neural` says of measures with a model, for `annotation.reported`: its English."""

from annotation.sentences import Sentence, ngettext
from annotation.sentences import sentence as _

_OF_MODELS: tuple[Sentence, ...] = (
    # scoring.neural.measures
    _("Bi-encoder"),
    _("Cross-encoder"),
    _("Word vectors"),
    _("Cosine of the two texts' embeddings [SBERT]. Each text is encoded by itself."),
    _(
        "What a model that reads both texts at once says of them: SAS, semantic answer similarity"
        " [SAS]. It is symmetric only where it reads both orders."
    ),
    _(
        "F1 of the two texts' tokens, each matched with the token of the other text whose vector"
        " in one layer is most like its own [BERTScore]. Tokens have no weights unless these are"
        " chosen, and values are not rescaled."
    ),
    _(
        "Cosine of the unweighted averages of the two texts' static word vectors. Words are runs"
        " of letters and digits; those that the file lacks do not count."
    ),
    _("Model"),
    _("A folder below the folder of models (LIKENESS_MODELS), or a name of the hub: org/name."),
    _("Revision"),
    _("A commit, branch or tag of the hub, or the digest that a folder must have. Empty: any."),
    _("Context"),
    _("What the model reads beside the text itself."),
    _("The texts alone."),
    _(
        "The turns before each text, then the text; a candidate that is no turn itself stands in"
        " the target's place, after the same turns. What is too long for the model is cut at its"
        " beginning, so that the text itself is read."
    ),
    _(
        "The turns before the target, then the target; the candidate alone. It is cut in the same"
        " way."
    ),
    _("Turns"),
    _("How many turns before the text, at most; 0: all."),
    _("Separator"),
    _("What stands between turns, and between the last one and the text."),
    _("A line break."),
    _("A blank."),
    _("Activation"),
    _("What is done with the number that the model gives."),
    _("What the model's own settings name, else a sigmoid."),
    _("1 / (1 + exp(-x)): from 0 to 1."),
    _("Nothing."),
    _("Order"),
    _("Which of the two texts the model reads first."),
    _("The target, then the candidate."),
    _("The candidate, then the target."),
    _("Both orders: the mean of the two values."),
    _("Kind of model"),
    _("What the model was trained for."),
    _("A model and a layer of your own choice."),
    _(
        "A model as it was pre-trained, not taught to tell how alike texts are. Layer 2 unless"
        " another one is given: in the paper the first two agree best with people [SAS]."
    ),
    _(
        "A model that was trained on pairs with scores of similarity, such as STS benchmark's. Its"
        " last layer unless another one is given: in the paper it agrees best with people [SAS]."
    ),
    _("Layer"),
    _(
        "Counted from 1; -1: the last one. What is taken if none is given stands with the kind of"
        " model."
    ),
    _("Rare tokens count more"),
    _(
        "Whether a token in d of the t different texts of all pairs has the weight"
        " ln((t + 1) / (d + 1)), its inverse document frequency [BERTScore]."
    ),
    _("File"),
    _(
        "A file in word2vec's text or binary format, also compressed by gzip, below the folder of"
        " models (LIKENESS_MODELS)."
    ),
    _("Lower case"),
    _("Whether texts are lower-cased before their words are looked up."),
    _("Stemmer"),
    _("Synonyms"),
    _("Part of the name."),
    _("Bi-encoders that know German"),
    _("Five public sentence encoders, multilingual or German and English."),
    _("Semantic answer similarity, English"),
    _("A cross-encoder trained on the STS benchmark."),
    _("%(measure)s has no setting %(given)s; there are: %(those)s"),
    _("%(measure)s needs the setting %(setting)s"),
    _("the setting %(setting)s of %(measure)s is true or false, not %(given)s"),
    _(
        "the setting %(setting)s of %(measure)s is a whole number from %(least)s to %(most)s, not"
        " %(given)s"
    ),
    _("the setting %(setting)s of %(measure)s is a text, not %(given)s"),
    _("the setting %(setting)s of %(measure)s is one of %(those)s, not %(given)s"),
    _("the setting %(setting)s of %(measure)s is empty"),
    _("the setting %(setting)s of %(measure)s is too long"),
    # annotation.services.baseline_choices
    _("Multiple choice"),
    _(
        "Log-likelihood that a causal language model gives each candidate of a dialogue as the one"
        " closest in meaning to its last turn, mean over shuffles of the candidates [GiCCS]. Only"
        " the candidates of one dialogue can be compared; the figure is how often the likeliest is"
        " best."
    ),
    _("Language"),
    _("Of our template; the study's unless another is chosen."),
    _("The study's."),
    _("German."),
    _("English."),
    _("Czech."),
    _("Style"),
    _("How the prompt lists the turns of the dialogue and the candidates."),
    _("Turns as they are; candidates after a dash, or after A) if a letter is the answer."),
    _("As in Figure 2 of GiCCS: turns numbered 1., 2.; candidates after A., B."),
    _("Template"),
    _("In the place of ours, with {dialogue}, {target} and {options}."),
    _("Answer"),
    _("What the model is to answer with."),
    _("The candidate's text."),
    _("The letter before it."),
    _("Likelihood"),
    _("Of an answer of several tokens."),
    _("The mean over its tokens."),
    _("The sum over its tokens."),
    _("With the dialogue"),
    _("Whether the model reads the turns before the last one."),
    _("Shuffles"),
    _("Orders of the candidates."),
    _("Seed"),
    _("From which the orders are drawn."),
    _("multiple choice needs the setting 'model'"),
    _("the setting 'revision' of multiple choice is no text"),
    # scoring.neural.choice
    _("%(given)s is no setting of multiple choice: there are %(those)s"),
    _("template is %(given)s: give a text, or none for ours"),
    _("dialogue %(dialogue)s has %(n)s options: 2 are needed"),
    _("dialogue %(dialogue)s has an empty last turn or option"),
    _("there is no dialogue to choose in"),
    ngettext("%(n)s turn", "%(n)s turns", "n"),
    _("two dialogues are called %(dialogue)s: names are given once"),
    _(
        "dialogue %(dialogue)s: its last turn and options alone are %(longest)s tokens, but the"
        " model reads %(window)s: choose a model that reads more, or leave it out"
    ),
    # scoring.neural.prompts
    _("there is no template in %(given)s: choose one of %(those)s, or give a template"),
    _("the template lacks {%(given)s}: write it where that is to stand"),
    _(
        "the template has {dialogue}, but the question is asked without the dialogue: take"
        " {dialogue} out, or ask with it"
    ),
    _(
        "the template has {%(given)s}, which is unknown: its placeholders are {dialogue}, {target}"
        " and {options}"
    ),
    _(
        "%(n)s options are more than the %(most)s letters: have the text of the answer scored"
        " instead, in the plain style"
    ),
    # scoring.neural.likelihoods
    _(
        "the model's tokenizer does not tell where its tokens lie in the text: choose a model that"
        " comes with a tokenizer.json"
    ),
    # scoring.neural.packages
    _(
        "The packages that read models are missing here (%(reason)s): run `make models` on the"
        " machine where the worker runs, then start the worker again."
    ),
    _("cpu, %(n)s threads"),
    # scoring.neural.models
    _(
        "The model in %(folder)s is another revision than the one asked for: %(found)s, not"
        " %(given)s."
    ),
    _(
        "The name of a model has 1 to %(most)s printable characters and no backslash, unlike"
        " %(given)s."
    ),
    _("The name of a model has no '..' in it, unlike %(given)s."),
    _(
        "The model %(given)s does not lie below the folder of models, %(folder)s: only what lies"
        " there may be read."
    ),
    _(
        "The model %(given)s does not lie below a folder of models (LIKENESS_MODELS): only what"
        " lies there may be read."
    ),
    _(
        "There is no model %(given)s, because there is no folder of models here: set"
        " LIKENESS_MODELS to one and put its files there, or give a name of the hub, such as"
        " org/name."
    ),
    _(
        "There is no model %(given)s, because there is no folder of models here: set"
        " LIKENESS_MODELS to one and put its files there, or fetch it from the hub: the model"
        " %(name)s at the revision %(revision)s is not in this machine's cache of the hub, nor"
        " could it be fetched (%(reason)s)."
    ),
    _(
        "There is no model %(given)s, because there is no folder of models here: set"
        " LIKENESS_MODELS to one and put its files there, or fetch it from the hub: the model"
        " %(name)s is not in this machine's cache of the hub, nor could it be fetched"
        " (%(reason)s)."
    ),
    _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or give a name of"
        " the hub, such as org/name."
    ),
    _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or fetch it from"
        " the hub: the model %(name)s at the revision %(revision)s is not in this machine's cache"
        " of the hub, nor could it be fetched (%(reason)s)."
    ),
    _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or fetch it from"
        " the hub: the model %(name)s is not in this machine's cache of the hub, nor could it be"
        " fetched (%(reason)s)."
    ),
    _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or ask whoever"
        " runs this server to allow the hub (LIKENESS_HUB=1): the model %(name)s at the revision"
        " %(revision)s is not in this machine's cache of the hub."
    ),
    _(
        "There is no model %(given)s: put its files into the folder %(folder)s, or ask whoever"
        " runs this server to allow the hub (LIKENESS_HUB=1): the model %(name)s is not in this"
        " machine's cache of the hub."
    ),
    _("There is no model %(given)s: put its files into the folder %(folder)s."),
    _(
        "%(file)s is a link to a folder, or to what lies outside %(folder)s: put the files"
        " themselves there."
    ),
    _("The folder %(folder)s holds no model: it has neither config.json nor modules.json."),
    _(
        "The model in %(folder)s is an adapter of another one: merge the two, and put the whole"
        " model there."
    ),
    _(
        "The weights in %(file)s are pickled, and reading those can run code: put them there as"
        " model.safetensors."
    ),
    _("The model in %(folder)s has no weights as safetensors (*.safetensors)."),
    _("The file %(file)s cannot be read as JSON: %(reason)s."),
    _("The file %(file)s names the folder %(given)s, outside the model."),
    _("The model asks for code of its own (%(what)s in %(file)s), and none is run here."),
    _("The model in %(folder)s cannot be loaded: %(reason)s."),
    # scoring.neural.choosing_command, scoring.neural.drawn_weights
    _(
        "The model %(name)s (%(architecture)s) is no causal language model: multiple choice needs"
        " one that foretells each token from those before it, such as a GPT2LMHeadModel or a"
        " LlamaForCausalLM."
    ),
    _(
        "The model %(name)s (%(architecture)s) lacks weights, such as %(weight)s, and random ones"
        " would take their place: put all of its files there, or choose another model."
    ),
    _(
        "The model %(name)s (%(architecture)s) is no trained cross-encoder, for it lacks weights,"
        " such as %(weight)s, and random ones would take their place: choose one that has them, or"
        " train one from it."
    ),
    # scoring.neural.bertscore, scoring.neural.cross_encoder
    _("The model %(name)s has the layers 1 to %(most)s, and no layer %(layer)s."),
    _(
        "The model %(name)s gives %(n)s numbers for a pair: a cross-encoder that says how alike"
        " two texts are gives one."
    ),
    # scoring.neural.word_vectors
    _(
        "There is no file %(given)s of word vectors: put it at a folder of models"
        " (LIKENESS_MODELS)."
    ),
    _("There is no file %(given)s of word vectors: put it at %(folder)s."),
    _("%(file)s is no file of word vectors: its first line is empty."),
    _(
        "%(file)s is no file of word vectors: what stands there as word number %(n)s has not"
        " %(dimension)s numbers."
    ),
    _(
        "%(file)s was cut short, or is no file of word vectors: it ends, or has no word, after"
        " %(n)s of %(all)s words."
    ),
    _("In %(file)s the word %(given)s has not %(dimension)s finite numbers."),
    # scoring.neural.vector_store
    _(
        "the kept vectors in %(file)s cannot be read (%(reason)s): remove that file, and they are"
        " computed again"
    ),
    _("vectors cannot be kept in %(file)s: %(reason)s"),
    _("vectors in %(file)s are gone or cut short: remove that file, and they are computed again"),
)

_OF_TRAINING: tuple[Sentence, ...] = (
    # scoring.neural.training
    _("%(given)s is no setting of training: there are %(those)s"),
    _("%(setting)s is %(given)s: choose a whole number from %(least)s"),
    _("%(setting)s is %(given)s: choose a number above 0 to below 1"),
    _("%(setting)s is %(given)s: choose a share of the steps, from 0 to below 1"),
    _("%(setting)s is %(given)s: choose a number from 0 to below 1"),
    _("loss is %(given)s, but a %(kind)s is trained by %(one)s or %(other)s"),
    _("loss is %(given)s, but a %(kind)s is trained by %(those)s"),
    _("there is no pair to train on"),
    _("pair %(n)s has the score %(score)s: scores to train on are from 0 to 1"),
    _("the loss is no number any more at step %(step)s: choose a learning rate below %(rate)s"),
    # scoring.neural.checkpoints
    _("the checkpoint %(file)s cannot be read (%(reason)s): remove it, and the run starts anew"),
    _(
        "%(folder)s holds a training with another model, other data or other settings: choose"
        " another folder, or remove this one"
    ),
    # scoring.neural.trainees
    _(
        "the model in %(folder)s tells %(n)s classes apart, but a score is one number: choose a"
        " model with one output, or one without any"
    ),
    _("max_length is %(given)s, but the model reads %(longest)s tokens: choose at most as many"),
    # scoring.neural.searching
    _("%(setting)s is %(given)s: choose a share above 0, up to .5"),
    _(
        "a share of %(share)s of %(n)s pairs leaves fewer than three to train on, or to judge by:"
        " give more pairs, or another share"
    ),
    _(
        "no trial could be judged: the scores of the pairs kept apart, or what the models find for"
        " them, are all equal"
    ),
    # Wherever some names may be chosen.
    _("%(setting)s is %(given)s: choose true or false"),
    _("%(setting)s is %(given)s: choose %(one)s or %(other)s"),
    _("%(setting)s is %(given)s: choose %(those)s"),
)

_OF_TESTS: tuple[Sentence, ...] = (
    # annotation.queries.training_pairs
    _("context has a significant effect on fewer than three pairs"),
)

_OF_PROGRESS: tuple[Sentence, ...] = (
    # scoring.neural: what it says while it computes
    _("starting"),
    _("loading the model"),
    _("reading %(file)s"),
    _("%(n)s words of %(file)s read"),
    _("%(done)s of %(all)s texts"),
    _("%(done)s of %(all)s pairs"),
    _("multiple choice, %(n)s dialogues"),
    _("run %(run)s: %(message)s"),
    _("epoch %(epoch)s, step %(step)s of %(steps)s"),
    _("step %(step)s of %(steps)s"),
    _("trial %(trial)s of %(trials)s"),
)

KNOWN_OF_MODELS: tuple[Sentence, ...] = (
    *_OF_MODELS,
    *_OF_TRAINING,
    *_OF_TESTS,
    *_OF_PROGRESS,
)
