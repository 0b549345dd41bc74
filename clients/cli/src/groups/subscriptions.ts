import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/subscriptions.ts';

const flags = { chat_binding_id: 'binding', project_id: 'project', event_types: 'type', classes: 'class' };
const texts = {
  event_types: 'Only these types, separated by commas.',
  classes: 'Only these classes of events, separated by commas.',
};

export const group: Group = {
  name: 'subscriptions',
  about: ['svc subscriptions: which events are told in your chats. Connect one first: svc contacts connect'],
  commands: everyCommand(rows, [
    operationCommand('subscriptions add', rows['notices.createRule'], {
      flags,
      texts,
      seek: false,
      examples: [
        ['All that the platform does', 'subscriptions add --binding 9f2d7c1e-… --source platform'],
        [
          'Deploys of one project',
          'subscriptions add --binding 9f2d7c1e-… --project prj_0kz3m --type deploy_activated',
        ],
      ],
    }),
    operationCommand('subscriptions list', rows['notices.listRules'], {
      columns: ['id', 'chat_binding_id', 'project_id', 'source', 'event_types', 'classes', 'enabled'],
      examples: [['What is told where', 'subscriptions list']],
      empty: 'Nothing is told in a chat. Have it told: svc subscriptions add --binding <id>',
    }),
    operationCommand('subscriptions update', rows['notices.updateRule'], {
      takes: [take('rule', { name: 'rule_id' })],
      flags: { ...flags, enabled: null },
      more: [
        { name: 'on', type: 'boolean', about: 'Have it told again.' },
        { name: 'off', type: 'boolean', about: 'Have it told no more, until it is turned on.' },
      ],
      set: ({ flags: given }) => {
        if (given.is('on') && given.is('off')) throw badUsage('--on and --off exclude each other.', { field: 'on' });
        return given.is('on') || given.is('off') ? { enabled: given.is('on') } : {};
      },
      texts,
      seek: false,
      examples: [
        ['No more for now', 'subscriptions update 1c9e… --off'],
        ['Into another chat', 'subscriptions update 1c9e… --binding 9f2d7c1e-…'],
      ],
    }),
    operationCommand('subscriptions rm', rows['notices.deleteRule'], {
      takes: [take('rule', { name: 'rule_id' })],
      examples: [['No more', 'subscriptions rm 1c9e…']],
    }),
  ]),
};
