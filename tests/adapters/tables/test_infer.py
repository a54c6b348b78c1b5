from agents.adapters.tables import infer_space, read_table


def inferred(tmp_path, text, objectives):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return infer_space(read_table(path), objectives).parameters


def test_levels_ranges_choices_and_what_is_left_out(tmp_path):
    rows = [
        f"{i},{('water', 'ethanol')[i % 2]},{(60, 80)[i % 3 == 0]},{i * 1.5},1,note {i},{i * 2}"
        for i in range(1, 9)
    ]
    text = "Run,Solvent,Temp (°C),Flow (mL/min),Const,Text,Yield (%)\n" + "\n".join(rows)
    found = {p.name: (p.kind, p.unit, p.levels, p.low, p.high) for p in inferred(tmp_path, text, ["Yield"])}
    assert found == {
        "Solvent": ("categorical", "", ["ethanol", "water"], None, None),
        "Temp": ("ordered", "°C", [60, 80], None, None),
        "Flow": ("continuous", "mL/min", [], 1.5, 12),
    }


def test_fractions_that_add_up_to_one_are_a_mixture(tmp_path):
    text = "Ni,Fe,Co,over\n0.2,0.3,0.5,1.2\n0.5,0.5,0,3.1\n1,0,0,2.2\n"
    assert [(p.name, p.kind, p.low, p.high) for p in inferred(tmp_path, text, ["over"])] == [
        ("Ni", "mixture", 0, 1),
        ("Fe", "mixture", 0, 1),
        ("Co", "mixture", 0, 1),
    ]
