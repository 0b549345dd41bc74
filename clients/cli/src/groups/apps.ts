import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { refuseFailed } from '../failure.ts';
import { keepProject, linkFlag, revealFlag } from '../keep-project.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/apps.ts';

const version = take('version', { name: 'version_id' });

export const group: Group = {
  name: 'apps',
  about: [
    'svc apps: publish what a project serves as a version that others fork, and make projects of your own from theirs.',
    'A version holds a release and a schema. Data, users, secrets, mailboxes, own domains and keys never travel.',
  ],
  commands: everyCommand(rows, [
    operationCommand('apps browse', rows['apps.browse'], {
      columns: ['id', 'name', 'version', 'fork_price_usd_micros', 'min_tier', 'tags'],
      empty: 'No apps. Publish one with svc apps publish.',
      examples: [
        ['What there is', 'apps browse'],
        ['With one of two tags', 'apps browse --tag shop,blog'],
      ],
    }),
    operationCommand('apps inspect', rows['apps.get'], {
      takes: [version],
      examples: [['What a fork is going to have', 'apps inspect appv_01jzk3']],
    }),
    operationCommand('apps fork', rows['apps.fork'], {
      takes: [take('version_id')],
      more: [linkFlag, revealFlag],
      approval: ({ org_id }) => ({ action: 'org.project.create', org_id: org_id as string }),
      about: [
        'Its keys go straight into a file that only you can read, and the project is the one in use from then on. What it costs is taken from the prepaid balance, or paid by x402 where that does not cover it.',
      ],
      examples: [
        ['Into a project of your own', 'apps fork appv_01jzk3 --name Shop'],
        [
          'With a name and its variables',
          `apps fork appv_01jzk3 --name Shop --subdomain our-shop --bootstrap '{"ADMIN":"me@example.com"}'`,
        ],
      ],
      shown: (answer, { cli, flags }) =>
        keepProject(cli, refuseFailed(answer), {
          reveal: flags.is('reveal'),
          link: flags.is('link'),
          name: flags.text('name'),
        }),
    }),
    operationCommand('apps fork-status', rows['apps.getFork'], {
      takes: [take('project')],
      examples: [['How the fork in use stands', 'apps fork-status']],
    }),
    operationCommand('apps publish', rows['apps.publish'], {
      takes: [take('project')],
      examples: [
        ['For the organization alone', 'apps publish'],
        ['For everybody', `apps publish --visibility public --fork-allowed --description "A shop" --tags shop,small`],
      ],
      shown: refuseFailed,
    }),
    operationCommand('apps versions', rows['apps.listVersions'], {
      takes: [take('project')],
      columns: ['id', 'version', 'visibility', 'fork_allowed', 'status', 'created_at'],
      empty: 'No versions. Publish one with svc apps publish.',
      examples: [['What is published', 'apps versions']],
    }),
    operationCommand('apps update', rows['apps.updateVersion'], {
      takes: [version],
      more: [{ name: 'no-forks', type: 'boolean', about: 'Let nobody else make projects from it any more.' }],
      set: ({ flags }) => (flags.is('no-forks') ? { fork_allowed: false } : {}),
      examples: [
        ['Let everybody find it', 'apps update appv_01jzk3 --visibility public --fork-allowed'],
        ['And nobody fork it', 'apps update appv_01jzk3 --no-forks'],
      ],
    }),
    operationCommand('apps delete', rows['apps.deleteVersion'], {
      takes: [version],
      examples: [['Take it back', 'apps delete appv_01jzk3']],
    }),
  ]),
};
