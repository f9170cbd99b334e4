"""`python -m tritonpuzzles`, and the command of that name."""


def main() -> None:
    """Run this process's command; Ctrl-C while its modules are imported ends it without a traceback."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # until `front.cli` can say it
    from tritonpuzzles.front.cli import run

    run()


if __name__ == "__main__":
    from tritonpuzzles.sandbox.interpreter import forget_folder

    forget_folder()  # files that a learner keeps in the current folder must not shadow Python's modules
    main()
