"""Reads the source of the graph: the one node that pauses does nothing else, and nothing swallows a pause."""

import ast
import inspect
import pathlib

import agents.engine
from agents.core import versions
from agents.engine import driver, graph
from agents.engine.nodes import review as review_module

ENGINE = pathlib.Path(agents.engine.__file__).parent
SOURCES = {path.relative_to(ENGINE).as_posix(): ast.parse(path.read_text()) for path in ENGINE.rglob("*.py")}


def calls(tree: ast.AST) -> list[str]:
    """Return the names that are called in ``tree``, the last part of each."""
    found = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "?") for f in found]


def kinds(tree: ast.AST) -> set[type]:
    return {type(node) for node in ast.walk(tree)}


def test_only_the_review_node_pauses():
    pausing = [name for name, tree in SOURCES.items() if "interrupt" in calls(tree)]
    assert pausing == ["nodes/review.py"]


def test_the_review_node_has_nothing_that_could_swallow_or_repeat_a_pause():
    forbidden = {
        ast.Try,
        ast.TryStar,
        ast.While,
        ast.For,
        ast.AsyncFor,
        ast.With,
        ast.AsyncWith,
        ast.ListComp,
    }
    assert kinds(SOURCES["nodes/review.py"]).isdisjoint(forbidden)


def test_the_review_node_asks_pauses_and_returns_and_does_nothing_else():
    tree = ast.parse(inspect.getsource(review_module.review))
    assert set(calls(tree)) == {"model_validate", "ask", "interrupt", "AgentState", "model_dump"}
    assert calls(tree).count("ask") == calls(tree).count("interrupt") == 1


def test_the_pause_carries_no_value_back():
    tree = ast.parse(inspect.getsource(review_module.review))
    statements = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    assert any(isinstance(s, ast.Call) and "interrupt" in calls(s) for s in statements), (
        "its result is not used"
    )


def test_no_node_swallows_a_lost_lease():
    """Whoever catches a ``DaybookError`` or more lets ``Fenced`` through first."""
    wide = {"DaybookError", "Exception", "BaseException"}
    for name, tree in SOURCES.items():
        for block in (node for node in ast.walk(tree) if isinstance(node, ast.Try)):
            caught = [
                {n.id for n in ast.walk(h.type) if isinstance(n, ast.Name)} for h in block.handlers if h.type
            ]
            assert all(handler.type for handler in block.handlers), f"{name}: a bare except"
            widest = next((i for i, names in enumerate(caught) if names & wide), None)
            assert widest is None or any("Fenced" in names for names in caught[:widest]), name


def test_every_node_is_one_file_and_the_driver_names_the_version():
    files = {path.stem for path in (ENGINE / "nodes").glob("*.py")} - {"__init__"}
    assert set(graph.NODES) == files == set(graph.build_graph(None).nodes) - {"__start__"}
    assert versions.GRAPH_VERSION in driver.GRAPHS


def test_the_engine_makes_every_step_durable():
    assert 'durability="sync"' in inspect.getsource(driver.drive)


def test_nodes_meet_the_world_through_ports_only():
    world = ("django", "agents.models", "agents.store", "agents.services", "time", "datetime", "os", "uuid")
    for name, tree in SOURCES.items():
        for node in ast.walk(tree):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in modules:
                assert not module.startswith(world), f"{name} imports {module}"
