"""A program that trains without a framework, for viewers to stop: live_program.py PACKAGE_FOLDER STEPS REPORT [wait] [hurry].

REPORT is a file that another thread writes into while the program runs or stands: how often it did, and what the signal handler counted.
With wait it waits for a viewer first; without hurry it pauses for a millisecond after each step.
"""
import os
import signal
import sys
import threading
import time

sys.path[:0] = [sys.argv[1], os.path.dirname(os.path.abspath(__file__))]

from played import Held, Question, Variable, configure, define, module, op, step_back  # noqa: E402

STEPS, REPORT = int(sys.argv[2]), sys.argv[3]
rounds = signals = 0


def other_thread():
    global rounds
    while True:
        rounds += 1
        with open(REPORT + ".new", "w") as file:
            file.write(f"{rounds} {signals}")
        os.replace(REPORT + ".new", REPORT)
        time.sleep(0.01)


def on_signal(*_):
    global signals
    signals += 1


def names_of(objects):
    return ["h" if item is h else "" for item in objects]


signal.signal(signal.SIGUSR1, on_signal)
configure(__file__, eager=Held, names_of=names_of)
module.fact("name", "live_program.py")
assert module.listen("wait" in sys.argv[4:]) is None
threading.Thread(target=other_thread, daemon=True).start()
w, unused = Variable("w"), Variable("unused")
for step in range(STEPS):
    module.training_step_begin(step)
    op("Shuffle", Held([1.0]))
    tape, of_exp, of_sum = Question(), ("T", step), ("K", step)  # a backward step knows its op by the identity of the attributes
    with tape:
        h = op("Exp", w, attributes=of_exp, output=Held([2.0, -3.0]), values=[1.0, 0.5])
        if step % 5 == 4:
            module.stop_at_retrace()
        loss = op("Sum", h, attributes=of_sum, output=Held([-1.0]))
    number = module.tensor(loss)
    call = module.ask(tape.tape, 0, 1, 2)
    module.target(number, "loss")
    sources = [define(w), define(unused)]
    for index, name in enumerate(("w", "unused")):
        module.source(index, sources[index], name)
    module.stop_before_backward()
    module.backward_begin(tape.tape, call)
    grown = float("inf") if step % 11 == 10 else 1.0
    ones = step_back("Sum", of_sum, [h], loss, [Held([1.0])], [Held([1.0, 1.0])])[0]
    slope = step_back("Exp", of_exp, [Held([1.0, 0.5])], h, [ones], [Held([2.0 * grown, -3.0])])[0]
    module.backward_end(tape.tape, call, False)
    module.tape_consumed(tape.tape)
    answers = [(sources[0], "w", slope), (sources[1], "unused", None)]
    for index, (source, name, value) in enumerate(answers):
        module.result(index, source, name, int(value is not None), value)
    module.answered(answers)
    op("Scale", slope, output=Held([0.5]))
    module.training_step_end(step)
    module.tape_destroyed(tape.tape)
    if "hurry" not in sys.argv[4:]:
        time.sleep(0.001)
