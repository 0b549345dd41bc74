import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/subdomains.ts';

export const group: Group = {
  name: 'subdomains',
  about: ['svc subdomains: names below the platform’s domain that a project is served under.'],
  commands: everyCommand(rows, [
    operationCommand('subdomains list', rows['subdomains.list'], {
      takes: [take('project')],
      columns: ['name', 'url', 'created_at'],
      examples: [['Where the project is served', 'subdomains list']],
      empty: 'No subdomains.',
    }),
    operationCommand('subdomains claim', rows['subdomains.claim'], {
      takes: [take('project'), take('name')],
      examples: [['A name of your own', 'subdomains claim our-shop']],
    }),
    operationCommand('subdomains delete', rows['subdomains.delete'], {
      takes: [take('project'), take('name')],
      confirm: 'for 14 days only the same organization may claim the name again.',
      examples: [['It is not needed any more', 'subdomains delete our-shop --confirm']],
    }),
  ]),
};
