"""The references that the methods cite, by the keys of `docs/references.md`."""

from dataclasses import dataclass

from annotation.releases.exports.documents import citation
from scoring.baselines.latex_writing import escape


@dataclass(frozen=True)
class Reference:
    kind: str
    # Family name, comma, given names.
    authors: tuple[str, ...]
    year: int
    title: str
    # The journal, the proceedings, or the publisher of a book.
    place: str
    more: tuple[tuple[str, str], ...] = ()

    @property
    def in_words(self) -> str:
        more = dict(self.more)
        volume, number = more.get("volume", ""), more.get("number", "")
        issue = f" {volume}({number})" if volume and number else f" {volume or number}".rstrip()
        pages = f", {more['pages']}" if "pages" in more else ""
        return (
            f"{', '.join(self.authors)} ({self.year}). {self.title}. {self.place}{issue}{pages}."
        )


def _article(
    authors: tuple[str, ...], year: int, title: str, journal: str, *where: str
) -> Reference:
    """`where`: volume, number, pages."""
    more = tuple(zip(("volume", "number", "pages"), where, strict=True))
    return Reference("article", authors, year, title, journal, more)


_PLACES = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "techreport": "institution",
}

REFERENCES: dict[str, Reference] = {
    "BH1995": _article(
        ("Benjamini, Y.", "Hochberg, Y."),
        1995,
        "Controlling the false discovery rate: a practical and powerful approach to multiple"
        " testing",
        "Journal of the Royal Statistical Society B",
        "57",
        "1",
        "289–300",
    ),
    "Brown1910": _article(
        ("Brown, W.",),
        1910,
        "Some experimental results in the correlation of mental abilities",
        "British Journal of Psychology",
        "3",
        "3",
        "296–322",
    ),
    "Cohen1960": _article(
        ("Cohen, J.",),
        1960,
        "A coefficient of agreement for nominal scales",
        "Educational and Psychological Measurement",
        "20",
        "1",
        "37–46",
    ),
    "CzechSTS": Reference(
        "article",
        ("Sido, J.", "Seják, M.", "Pražák, O.", "Konopík, M.", "Moravec, V."),
        2024,
        "Czech news dataset for semantic textual similarity",
        "Language Resources and Evaluation",
    ),
    "Fleiss1971": _article(
        ("Fleiss, J. L.",),
        1971,
        "Measuring nominal scale agreement among many raters",
        "Psychological Bulletin",
        "76",
        "5",
        "378–382",
    ),
    "GiCCS": Reference(
        "inproceedings",
        ("Asaadi, S.", "Kolagar, Z.", "Liebel, A.", "Zarcone, A."),
        2022,
        "GiCCS: A German in-Context Conversational Similarity benchmark",
        "Proceedings of the 2nd Workshop on Natural Language Generation, Evaluation, and Metrics"
        " (GEM)",
    ),
    "KM2016": Reference(
        "inproceedings",
        ("Kiritchenko, S.", "Mohammad, S. M."),
        2016,
        "Capturing reliable fine-grained sentiment associations by crowdsourcing and best–worst"
        " scaling",
        "Proceedings of NAACL-HLT 2016",
        (("pages", "811–817"),),
    ),
    "KM2017": Reference(
        "inproceedings",
        ("Kiritchenko, S.", "Mohammad, S."),
        2017,
        "Best-worst scaling more reliable than rating scales: a case study on sentiment intensity"
        " annotation",
        "Proceedings of the 55th Annual Meeting of the ACL",
        (("volume", "2"), ("pages", "465–470"), ("doi", "10.18653/v1/P17-2074")),
    ),
    "KendallSmith1939": _article(
        ("Kendall, M. G.", "Babington Smith, B."),
        1939,
        "The problem of m rankings",
        "The Annals of Mathematical Statistics",
        "10",
        "3",
        "275–287",
    ),
    "Krippendorff2011": Reference(
        "techreport",
        ("Krippendorff, K.",),
        2011,
        "Computing Krippendorff's alpha-reliability",
        "University of Pennsylvania, Annenberg School for Communication",
        (("number", "43"),),
    ),
    "Lakens2017": _article(
        ("Lakens, D.",),
        2017,
        "Equivalence tests: a practical primer for t tests, correlations, and meta-analyses",
        "Social Psychological and Personality Science",
        "8",
        "4",
        "355–362",
    ),
    "Louviere2015": Reference(
        "book",
        ("Louviere, J. J.", "Flynn, T. N.", "Marley, A. A. J."),
        2015,
        "Best-worst scaling: theory, methods and applications",
        "Cambridge University Press",
    ),
    "Luce1959": Reference(
        "book",
        ("Luce, R. D.",),
        1959,
        "Individual choice behavior: a theoretical analysis",
        "Wiley, New York",
    ),
    "McGrawWong1996": _article(
        ("McGraw, K. O.", "Wong, S. P."),
        1996,
        "Forming inferences about some intraclass correlation coefficients",
        "Psychological Methods",
        "1",
        "1",
        "30–46",
    ),
    "Orme2009": Reference(
        "techreport",
        ("Orme, B.",),
        2009,
        "MaxDiff analysis: simple counting, individual-level logit, and HB",
        "Sawtooth Software",
    ),
    "Passonneau2006": Reference(
        "inproceedings",
        ("Passonneau, R.",),
        2006,
        "Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation",
        "Proceedings of LREC 2006",
        (("pages", "831–836"),),
    ),
    "Plackett1975": _article(
        ("Plackett, R. L.",),
        1975,
        "The analysis of permutations",
        "Journal of the Royal Statistical Society C",
        "24",
        "2",
        "193–202",
    ),
    "Schuirmann1987": _article(
        ("Schuirmann, D. J.",),
        1987,
        "A comparison of the two one-sided tests procedure and the power approach for assessing"
        " the equivalence of average bioavailability",
        "Journal of Pharmacokinetics and Biopharmaceutics",
        "15",
        "6",
        "657–680",
    ),
    "ShroutFleiss1979": _article(
        ("Shrout, P. E.", "Fleiss, J. L."),
        1979,
        "Intraclass correlations: uses in assessing rater reliability",
        "Psychological Bulletin",
        "86",
        "2",
        "420–428",
    ),
    "Spearman1910": _article(
        ("Spearman, C.",),
        1910,
        "Correlation calculated from faulty data",
        "British Journal of Psychology",
        "3",
        "3",
        "271–295",
    ),
    "Student1908": _article(
        ("Student",), 1908, "The probable error of a mean", "Biometrika", "6", "1", "1–25"
    ),
}


def bibtex(key: str) -> str:
    reference = REFERENCES[key]
    return citation.entry(
        reference.kind,
        key,
        {
            "author": " and ".join(escape(name) for name in reference.authors),
            "title": f"{{{escape(reference.title)}}}",
            _PLACES[reference.kind]: escape(reference.place),
            "year": str(reference.year),
            **{name: escape(value) for name, value in reference.more},
        },
    )
