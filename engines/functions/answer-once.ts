import type { ProgramFault } from './run-apart.ts';

/** Does one piece of work for whoever started this process, answers once, and ends with them. */
export function answerOnce<Work, Answer extends object>(work: (given: Work) => Promise<Answer>): void {
  process.on('disconnect', () => process.exit());
  process.once('message', (given: Work) => {
    const answer = (message: Answer | ProgramFault) => process.send!(message, () => process.exit());
    void work(given).then(answer, (error: unknown) =>
      // esbuild has ended by what it was given: there is no answer.
      /service (was stopped|is no longer running)/.test(String(error))
        ? process.exit(1)
        : answer({ fault: String(error) }),
    );
  });
}
