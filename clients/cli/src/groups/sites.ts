import type { Call, Group } from '../command.ts';
import { runDeploy } from '../deploy/run-deploy.ts';
import { deployFlags, projectOf } from './deploy.ts';

export const group: Group = {
  name: 'sites',
  about: ['svc sites: what a project serves at its hosts.'],
  commands: (['sites deploy', 'sites deploy-dir'] as const).map((words) => ({
    words,
    summary: 'Make a folder the site of a project.',
    positionals: [{ name: 'folder', about: 'The folder, as a build leaves it.' }],
    flags: deployFlags,
    examples: [
      ['What a build left', `${words} dist`],
      ['What it would change', `${words} dist --plan`],
    ],
    operations: [],
    async run(invocation: Call) {
      const spec = { site: { replace: { __source: 'local-dir', path: invocation.positionals.folder! } } };
      return runDeploy(invocation, await projectOf(invocation, spec), spec, '.');
    },
  })),
};
