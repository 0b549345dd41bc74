import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/ai.ts';

export const group: Group = {
  name: 'ai',
  about: ['svc ai: texts that the gateway has a model translate and moderate. No text is kept, and none is logged.'],
  commands: everyCommand(rows, [
    operationCommand('ai translate', rows['ai.translate'], {
      takes: [take('text')],
      examples: [
        ['Into Spanish', 'ai translate "Good morning" --to es'],
        ['With what it is about', 'ai translate "Charge" --from en --to fr --context "A button of a battery app"'],
      ],
    }),
    operationCommand('ai moderate', rows['ai.moderate'], {
      takes: [take('text')],
      examples: [['Is it harmful?', 'ai moderate "A text of a user"']],
    }),
    operationCommand('ai usage', rows['ai.usage'], {
      takes: [take('project')],
      examples: [['Words that are left', 'ai usage']],
    }),
  ]),
};
