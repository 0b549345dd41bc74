import { type JobType, jsonFile } from './job-type.ts';

/** Gives back what it was given: to try jobs out. */
export const echo: JobType = {
  name: 'echo',
  kind: 'built_in',
  description: 'Writes its input into the log and into the artifact `echo.json`.',
  price: { perJob: 0n, perSecond: 0n },
  maxSeconds: 60,
  repeatable: true,
  inputSchema: { type: 'object' },
  read: (input) => ({ input }),
  async run({ log, keep }, input) {
    log(JSON.stringify(input));
    await keep(jsonFile('echo.json', input));
  },
};
