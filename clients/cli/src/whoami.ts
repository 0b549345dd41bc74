import type { Command } from './command.ts';
import { perform } from './operation-command.ts';
import { rows } from './operations/org.ts';

/** Who asks, under each of the words that people try. */
export const whoami = (words: string): Command => ({
  words,
  summary: 'Who the gateway takes you for, and the organizations you belong to.',
  flags: [
    {
      name: 'set-name',
      type: 'string',
      placeholder: 'name',
      about: 'Take this name for people first, 1 to 64 characters.',
    },
  ],
  examples: [
    ['Look', `${words} --human`],
    ['Take a name', `${words} --set-name "Atlas of the build"`],
  ],
  operations: ['identity.whoami', 'identity.setDisplayName'],
  async run({ cli, flags }) {
    const name = flags.text('set-name');
    if (name !== undefined) return perform(cli, rows['identity.setDisplayName'], { display_name: name });
    return perform(cli, rows['identity.whoami'], {});
  },
});
