"""Sentences chosen by what they say of themselves: the goal, the methods, the first hypothesis."""

import re

from agents.core.digest import DigestItem
from agents.core.quantities import find_quantities
from agents.core.words import words
from agents.reasoners.extractive.reading import Reading, Sentence

MAX_GOALS = 3
MAX_METHODS = 5
MAX_LENGTH = 420

_GOAL = re.compile(
    r"\b(?:aims?|objectives?|purposes?|goals?)\b(?=.{0,80}\b(?:is|was|are|were|to)\b)|\b(?:this|the present|our) (?:study|work|paper|"
    r"article|research|report)\b.{0,40}\b(?:aims?|investigates?|examines?|explores?|describes?|presents?|reports?|seeks?|"
    r"develops?|focus)|\bwe (?:aim|seek|sought|attempt|wish|propose|investigate|have tried|tried)\b|\bin (?:this|the present) "
    r"(?:study|work|paper)\b|^(?:in order )?to (?:optimi[sz]e|maximi[sz]e|minimi[sz]e|improve|increase|reduce|determine|find|investigate)\b.{10,}?,|"
    r"以[^，。]{2,40}为(?:研究|优化|最终)?(?:目标|目的)|^为了?(?:提高|降低|减少|增加|优化|改善|获得|确定|研究|探究|考察)[^，。]{2,40}，|旨在|目的(?:是|在于|为)|本(?:文|研究|实验|工作)(?:的目的|拟|主要|研究|旨在|将|考察|探讨)",
    re.IGNORECASE,
)
_LABELLED_GOAL = re.compile(
    r"(?:the )?(?:aim|objective|purpose|goal)s?\s*[:：]\s*\S|(?:研究|实验)?(?:目标|目的)\s*[:：]\s*\S",
    re.IGNORECASE,
)
_STRONG_GOAL = re.compile(r"\b(?:aim|objective|purpose|goal)s?\b|旨在|目的", re.IGNORECASE)
_ACHIEVED = re.compile(r"\bsuccessfully\b|成功(?:地)?(?:合成|制备|获得|实现|得到)", re.IGNORECASE)
"""Tells what came out, which no run can work towards any more."""
_INVESTIGATED = re.compile(
    r"\b(?:effects?|influences?|impacts?) of\b.{3,250}\b(?:is|are|was|were|been)\b.{0,20}"
    r"\b(?:investigated|studied|examined|explored|evaluated|assessed)\b|"
    r"(?:考察|研究|探讨|探究)了?.{2,60}对.{2,40}的影响",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\bet al\b|\[\d")
_METHOD = re.compile(
    r"\b(?:was|were|is|are|been) (?:\w+ly )?(?:performed|carried out|conducted|obtained|prepared|synthesi[sz]ed|measured|determined|"
    r"analy[sz]ed|extracted|investigated|employed|used|characteri[sz]ed|evaluated|recorded|dried|heated|mixed|dissolved|calculated|"
    r"collected|assembled|tested|scanned|quenched|run|given|added|adjusted|annealed|applied|calcined|centrifuged|coated|cooled|"
    r"deposited|diluted|dosed|etched|filtered|fitted|ground|incubated|injected|irradiated|kept|loaded|maintained|milled|"
    r"monitored|placed|polished|poured|purged|refluxed|rinsed|sampled|sealed|set|sintered|sonicated|stirred|taken|titrated|"
    r"varied|washed|weighed)\b|\b(?:using|by means of)\b|采用|使用|利用|称取|量取|移取|加入|搅拌|过滤|离心|洗涤|烘干|煅烧|烧结|退火|测定|通过.{1,20}(?:测|得|实现)|用.{1,12}测",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:Table|Fig(?:ure)?s?\.?) ?\d|[表图] ?\d")
_HYPOTHESIS = re.compile(
    r"\bhypothes[ie]|\bwe (?:expect|assume|suppose|anticipate|believe)\b|\bit is (?:expected|assumed|believed)\b|\b(?:is|are) expected to\b"
    r"|\bmost important (?:factor|parameter|variable)\b|\bsignificantly (?:influences?|affects?|improves?|increases?)\b|\bdepends? (?:strongly |mainly )?on\b"
    r"|\bcan be (?:ascribed|attributed) to\b|\bplays? .{0,20}\broles?\b|假设|猜想|预期|预计|推测|取决于|仅与.{1,20}有关|成正比|成反比|影响最大|线性(?:关系|变化)",
    re.IGNORECASE,
)
_STRONG_HYPOTHESIS = re.compile(r"hypothes|\bwe expect|most important|假设|猜想|预期|推测", re.IGNORECASE)
_REFUTED = re.compile(r"\brefuted\b|\bfalsified\b|\bdisproved?\b|推翻|否定该", re.IGNORECASE)


def goals(reading: Reading, goal: str) -> list[DigestItem]:
    """Return at most three sentences that state what the work is for, the plainest first.

    ``goal`` is the reader's own; sentences that share its words come first. A sentence that tells what was achieved
    counts only where none says what was wanted, or what was investigated. Without any such sentence the document's
    first one, its title, stands in and the note says so.
    """
    told = [sentence for sentence in reading.sentences if _states_goal(sentence)]
    wanted = [sentence for sentence in told if not _tells_outcome(sentence)]
    investigated = [sentence for sentence in reading.sentences if _tells_question(sentence)]
    ranked = sorted(
        wanted or investigated or told,
        key=lambda sentence: (-_goal_weight(sentence, goal), sentence.index),
    )
    found = [reading.item("goal", s.text, page=s.page, quote=s.text) for s in ranked[:MAX_GOALS]]
    if found or not reading.sentences:
        return found
    front = [sentence for sentence in reading.sentences if sentence.role != "back"] or reading.sentences
    title = next((sentence for sentence in front if len(sentence.text) > 12), front[0])
    note = "No sentence states a goal; this is the beginning of the document."
    return [
        reading.item(
            "goal", title.text[:MAX_LENGTH], page=title.page, quote=title.text[:MAX_LENGTH], note=note
        )
    ]


def _states_goal(sentence: Sentence) -> bool:
    if sentence.role == "back" or not 8 <= len(sentence.text) <= MAX_LENGTH:
        return False
    if _LABELLED_GOAL.match(sentence.text):
        return True
    return bool(_GOAL.search(sentence.text)) or (sentence.role == "goal" and not _is_heading(sentence.text))


def _tells_outcome(sentence: Sentence) -> bool:
    return bool(_ACHIEVED.search(sentence.text)) and not (
        _STRONG_GOAL.search(sentence.text) or _LABELLED_GOAL.match(sentence.text)
    )


def _tells_question(sentence: Sentence) -> bool:
    return (
        sentence.role not in ("back", "result")
        and _is_readable(sentence.text, 20)
        and bool(_INVESTIGATED.search(sentence.text))
        and not _OTHERS.search(sentence.text)
    )


def _goal_weight(sentence: Sentence, goal: str) -> float:
    shared = len(set(words(goal)) & set(words(sentence.text)))
    is_plain = sentence.role == "goal" or bool(_LABELLED_GOAL.match(sentence.text))
    strong = 3.0 if is_plain else 2.0 if _STRONG_GOAL.search(sentence.text) else 0.0
    early = 1.0 if sentence.page == 1 else 0.0
    return strong + early + shared / 4


def methods(reading: Reading, goal: str) -> list[DigestItem]:
    """Return at most five sentences on how it was done, spread over the method part, in the document's order."""
    told = [
        s
        for s in reading.sentences
        if s.role != "back" and _is_readable(s.text, 20) and _METHOD.search(s.text)
    ]
    told = [s for s in told if s.role == "method"] or told
    ranked = sorted(told, key=lambda s: (-_method_weight(s, goal), s.index))
    thirds = [told[n * len(told) // 3 : (n + 1) * len(told) // 3] for n in range(3)]
    chosen = [next(s for s in ranked if s in third) for third in thirds if third]
    apart = [s for s in ranked if all(abs(s.index - other.index) > 2 for other in chosen)]
    chosen = list(dict.fromkeys([*chosen, *apart, *ranked]))[:MAX_METHODS]
    chosen.sort(key=lambda s: s.index)
    return [reading.item("method", s.text, page=s.page, quote=s.text) for s in chosen]


def _method_weight(sentence: Sentence, goal: str) -> float:
    shared = len(set(words(goal)) & set(words(sentence.text)))
    others = 2.0 if re.search(r"\bet al\b", sentence.text) else 0.0
    return (
        len(_METHOD.findall(sentence.text))
        - others
        + 0.5 * min(shared, 4)
        + (0.5 if find_quantities(sentence.text) else 0)
        - (0.5 if _POINTS.search(sentence.text) else 0)
    )


def hypotheses(reading: Reading) -> list[DigestItem]:
    """Return at most one sentence to start from, with what would refute it."""
    told = [
        s
        for s in reading.sentences
        if s.role != "back"
        and _is_readable(s.text, 15)
        and not _REFUTED.search(s.text)
        and not _is_heading(s.text)
        and not (_states_goal(s) and not _STRONG_HYPOTHESIS.search(s.text) and s.role != "hypothesis")
        and (_HYPOTHESIS.search(s.text) or s.role == "hypothesis")
    ]
    if not told:
        return []
    best = min(told, key=_hypothesis_rank)
    nearby = reading.sentences[best.index + 1 : best.index + 4]
    stated = next((s.text for s in nearby if _REFUTED.search(s.text)), "")
    refuted_by = stated or _default_refutation(reading)
    return [
        reading.item(
            "hypothesis", best.text, page=best.page, quote=best.text, data={"refuted_by": refuted_by}
        )
    ]


def _hypothesis_rank(sentence: Sentence) -> tuple[bool, bool, bool, int]:
    """Stated as a hypothesis, then in strong words, then in the abstract or the results, then early."""
    is_summed_up = sentence.page == 1 or sentence.role == "result"
    strong = bool(_STRONG_HYPOTHESIS.search(sentence.text))
    return sentence.role != "hypothesis", not strong, not is_summed_up, sentence.index


def _default_refutation(reading: Reading) -> str:
    if reading.document.language == "zh":
        return "在其他条件相同的重复测量中，结果与该说法相反，且差异超出噪声。"
    return (
        "Measurements that differ only in what the statement names show the opposite, by more than the noise."
    )


def _is_readable(text: str, least: int) -> bool:
    """Neither a scrap nor a page: Chinese says as much in half the characters."""
    chinese = bool(re.search("[\u3400-\u9fff]", text))
    return (least // 2 if chinese else least) <= len(text) <= MAX_LENGTH


def _is_heading(text: str) -> bool:
    return (
        len(text) < 40
        and not text.endswith((".", "。", "；", ";", "！", "!"))
        and not re.match(r"\d+[.)、]", text)
    )
