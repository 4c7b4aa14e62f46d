"""What the inside of torch.compile is called in the releases of PyTorch: how each says why it compiles again, where a graph breaks and that it has ended."""

_reasons = {}  # code's file, first line and name -> why it is compiled again, where only a call says so


def listen_for_reasons(patches):
    """Before 2.7 what is said of a compilation has no reason: the call that looks for the guards that failed returns it."""
    from torch._dynamo import convert_frame, utils
    if not hasattr(utils.CompilationMetrics, "recompile_reason"):
        patches.set(convert_frame, "get_and_maybe_log_recompilation_reason", _kept, "why a function is compiled again is not seen")


def _kept(original):
    def get_and_maybe_log_recompilation_reason(cache_entry, frame, *args, **kwargs):
        reasons = original(cache_entry, frame, *args, **kwargs)
        code = frame.f_code
        _reasons[code.co_filename, code.co_firstlineno, code.co_name] = reasons[0] if reasons else None
        return reasons
    return get_and_maybe_log_recompilation_reason


def reason_of(metrics):
    """Why a function was compiled again; None where that is not said."""
    if hasattr(metrics, "recompile_reason"):
        return metrics.recompile_reason
    return _reasons.pop((metrics.co_filename, metrics.co_firstlineno, metrics.co_name), None)


def listen_for_breaks(patches, broke):
    """Calls broke(reason, exception or None, stack or None) where a graph breaks."""
    from torch._dynamo import symbolic_convert

    def logged(original):
        def log_graph_break(translator, code_options, reason="", exc=None, *args, **kwargs):
            broke(reason, exc, None)
            return original(translator, code_options, reason, exc, *args, **kwargs)
        return log_graph_break

    def made(original):
        def GraphCompileReason(reason, user_stack, graph_break=True, **kwargs):
            if graph_break:
                broke(reason, None, user_stack)
            return original(reason, user_stack, graph_break, **kwargs)
        return GraphCompileReason
    translator = symbolic_convert.InstructionTranslatorBase
    if hasattr(translator, "log_graph_break"):
        patches.set(translator, "log_graph_break", logged, "graph breaks are not seen")
    else:  # before 2.8
        patches.set(symbolic_convert, "GraphCompileReason", made, "graph breaks are not seen")


def listen_for_ends(patches, ends):
    """Wraps what runs when a compilation has ended."""
    from torch._dynamo import convert_frame, utils
    if hasattr(utils, "get_metrics_context"):
        patches.set(utils.get_metrics_context(), "_on_exit", ends, "recompiles are not seen")
    else:  # before 2.6
        patches.set(convert_frame, "record_compilation_metrics", ends, "recompiles are not seen")
