import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { local } from '../failure.ts';
import { operationCommand, perform } from '../operation-command.ts';
import { rows } from '../operations/feedback.ts';

/** Longest message, in bytes of UTF-8. Contract 04, section 3.8. */
const bytesMax = 8_192;

const row = rows['feedback.send'];

const send: Command = {
  words: 'feedback send',
  summary: row.summary,
  about: ['Nothing but the words is sent, and who you are. They are not shown to you again.'],
  positionals: [{ name: 'message', rest: true, about: row.inputs.message.about }],
  flags: [
    { name: 'project', type: 'string', placeholder: 'project_id', about: 'The project that it is about.' },
    { name: 'handle', type: 'string', about: row.inputs.handle.about },
    { name: 'return-address', type: 'string', placeholder: 'address', about: row.inputs.return_address.about },
  ],
  examples: [['Say it', 'feedback send The first deploy was a pleasure']],
  operations: ['feedback.send'],
  async run({ cli, positionals, flags }) {
    const message = positionals.message!;
    const bytes_sent = Buffer.byteLength(message);
    if (bytes_sent > bytesMax)
      throw local('MESSAGE_TOO_LONG', `The message has ${bytes_sent} bytes, and ${bytesMax} are sent at most.`, {
        details: { bytes: bytes_sent, max_bytes: bytesMax },
      });
    await perform(
      cli,
      row,
      {
        message,
        about: flags.text('project'),
        handle: flags.text('handle'),
        return_address: flags.text('return-address'),
      },
      { flags },
    );
    return { bytes_sent, sent: true };
  },
};

export const group: Group = {
  name: 'feedback',
  about: ['svc feedback: say something to whoever runs the platform.'],
  commands: everyCommand(rows, [
    send,
    operationCommand('feedback describe', rows['feedback.describe'], {
      examples: [['How it is sent', 'feedback describe']],
    }),
  ]),
};
