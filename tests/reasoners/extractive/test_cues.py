import pytest

from tests.reasoners.extractive.documents import digest_of, from_pages, texts


@pytest.mark.parametrize(
    "goal",
    [
        "The aim of this study was to raise the yield of biodiesel.",
        "This work investigates how temperature changes the yield of oil.",
        "We sought to find the best conditions for the synthesis.",
        "本文旨在优化微波辅助提取黄酮的工艺条件。",
        "本实验的目的是测量铜的热导率。",
    ],
)
def test_the_goal_is_the_sentence_that_states_it(goal):
    digest = digest_of(from_pages(f"Biodiesel is a fuel. {goal} It burns well."))
    assert texts(digest, "goal") == [goal]


def test_items_below_a_goal_heading_are_goals():
    digest = digest_of(
        from_pages(
            "1 实验目的\n1. 学会一种测量热导率的方法；\n2. 了解动态法的特点；\n2 实验仪器\n仪器由样品组成。"
        )
    )
    assert texts(digest, "goal") == ["1. 学会一种测量热导率的方法；", "2. 了解动态法的特点；"]


def test_without_a_stated_goal_the_beginning_stands_in_and_says_so():
    (goal,) = [
        i
        for i in digest_of(from_pages("Yields of biodiesel from waste oil. It burns.")).items
        if i.kind == "goal"
    ]
    assert goal.text == "Yields of biodiesel from waste oil."
    assert "No sentence states a goal" in goal.note


def test_at_most_five_methods_and_those_of_the_method_part_first():
    told = " ".join(f"Sample {i} was heated using an oven. It was hot. It was very hot." for i in range(9))
    digest = digest_of(f"# Introduction\n\nOil was extracted by others using water.\n\n# Methods\n\n{told}")
    assert len(texts(digest, "method")) == 5
    assert all(text.startswith("Sample") for text in texts(digest, "method"))


def test_the_stated_hypothesis_comes_with_what_refutes_it():
    digest = digest_of(
        "# Hypothesis\n\nWe expect that the ligand matters most. The hypothesis is refuted if it changes the yield by less than 10 %."
    )
    (item,) = [item for item in digest.items if item.kind == "hypothesis"]
    assert item.text == "We expect that the ligand matters most."
    assert item.data["refuted_by"] == "The hypothesis is refuted if it changes the yield by less than 10 %."


def test_references_are_no_source_of_anything():
    digest = digest_of(
        "# Results\n\nIt worked.\n\n# References\n\nSmith, A. The aim of this study was to use methods (2004)."
    )
    assert all("Smith" not in item.text for item in digest.items)


@pytest.mark.parametrize(
    "line",
    [
        "**Goal**: find the conditions that maximise copper recovery (%) from the ore.",
        "Goal: find the conditions that maximise copper recovery (%) from the ore.",
        "**目标**：找到使铜回收率最高的条件。",
    ],
)
def test_a_labelled_goal_is_the_goal(line):
    digest = digest_of(f"# Leaching of copper\n\n{line}\n\nThe ore was ground.")
    assert texts(digest, "goal")[0] == line.replace("*", "")
    assert all("No sentence states" not in item.note for item in digest.items)


def test_a_goal_is_not_the_hypothesis_too():
    digest = digest_of(
        from_pages(
            "The aim of this study is to see how growth depends strongly on glucose. Cells were grown."
        )
    )
    assert len(texts(digest, "goal")) == 1
    assert texts(digest, "hypothesis") == []


@pytest.mark.parametrize(
    "goal",
    [
        "本文以提高镀层显微硬度为目标，研究了电流密度和温度的影响。",
        "为提高黄酮的提取率，采用响应面法优化了工艺条件。",
        "To maximise the removal of the dye, pH and dose were varied.",
    ],
)
def test_a_goal_is_known_by_what_it_is_for(goal):
    digest = digest_of(
        from_pages(f"Several properties of the process have been reviewed. {goal} It burns well.")
    )
    assert texts(digest, "goal") == [goal]


def test_procedures_are_methods_in_english():
    digest = digest_of(
        "## 2. Experimental\n\n### 2.1 Materials\n\nAll solutions were made with deionised water.\n\n### 2.2 Procedure\n\n"
        "The solution (20 mg/L) was stirred at 400 rpm. The pH was adjusted with acid to 3. The peroxide was dosed at 4 mM. "
        "Samples were taken every 10 min.\n\n## 3. Results\n\nThe colour was removed.\n"
    )
    found = texts(digest, "method")
    assert len(found) >= 3
    assert "The colour was removed." not in found


def test_a_chinese_section_of_experiments_is_the_method_part_with_all_its_subsections():
    digest = digest_of(
        "## 1 实验\n\n### 1.1 镀液\n\n称取硫酸镍 20 g，加入去离子水中搅拌溶解。\n\n### 1.2 表征\n\n"
        "采用X射线衍射仪分析物相。\n\n## 2 结果\n\n采用新工艺后硬度提高。\n"
    )
    assert texts(digest, "method") == [
        "称取硫酸镍 20 g，加入去离子水中搅拌溶解。",
        "采用X射线衍射仪分析物相。",
    ]


ACHIEVED = "In this work, porous carbons are prepared successfully from husks."
ASKED = "The effects of heating time and of the acid on the surface area are investigated."


def test_what_was_achieved_gives_way_to_what_was_asked():
    assert texts(digest_of(from_pages(f"Carbon is black. {ACHIEVED} {ASKED} It is cheap.")), "goal") == [
        ASKED
    ]
    aim = "The aim is to raise the surface area of the carbon."
    assert texts(digest_of(from_pages(f"{ACHIEVED} {ASKED} {aim}")), "goal") == [aim]


def test_what_was_achieved_stands_in_where_nothing_says_what_was_wanted():
    assert texts(digest_of(from_pages(f"Carbon is black. {ACHIEVED}")), "goal") == [ACHIEVED]


def test_what_others_investigated_is_no_goal():
    others = "The effects of heating time on the surface area were investigated by Wei et al."
    assert texts(digest_of(from_pages(f"Carbon is black. {ACHIEVED} {others}")), "goal") == [ACHIEVED]


def test_an_aim_that_was_reached_successfully_is_an_aim():
    aim = "The aim of this study was to grow the film successfully on glass."
    assert texts(digest_of(from_pages(f"Glass is clear. {aim}")), "goal") == [aim]
