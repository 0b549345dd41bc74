import { setTimeout as delay } from 'node:timers/promises';
import type { Call, Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/channel-route.ts';

const route = take('channel_route_id');
const routePlace = { name: 'channel_route_id', about: rows['channelRoutes.get'].inputs.channel_route_id.about };

const revision = {
  name: 'revision',
  type: 'integer',
  min: 1,
  about: 'The revision that the change is of: the present one unless told.',
} as const;

const names = {
  community_installation_id: 'community',
  channel_id: 'channel',
  route_name: 'name',
  project_ids: 'projects',
  project_scope: 'scope',
  event_types: 'type',
  event_classes: 'class',
  include_org_events: 'org-events',
  on_call_pubkey: 'on-call',
  on_call_display_name: 'on-call-name',
};

const texts = {
  project_ids: 'Projects whose events are told, separated by commas.',
  event_types: 'Only these types, separated by commas.',
  event_classes: 'Only these classes of events, separated by commas.',
};

/** What the change is of: what was named, or what the gateway has now. */
async function revisionOf({ cli, positionals, flags }: Call): Promise<unknown> {
  const named = flags.number('revision');
  if (named !== undefined) return named;
  return (await perform(cli, rows['channelRoutes.get'], positionals)).revision;
}

/** Seconds between two looks at a test, and for how long it is looked at. Contract 02, section 5.7. */
const lookSeconds = 5;
const waitSeconds = 180;
/** Nothing has come of a test yet. */
const undecided = 2;

const over: ReadonlySet<unknown> = new Set(['delivered', 'dead_letter', 'cancelled', 'suppressed']);

const test: Command = {
  ...operationCommand('channel-route test', rows['channelRoutes.test'], {
    takes: [route],
    more: [{ name: 'wait', type: 'boolean', about: 'Wait for what comes of it, three minutes at most.' }],
    also: ['channelRoutes.deliveries'],
    examples: [
      ['Say something there', 'channel-route test chrt_01jzk3'],
      ['Whether it arrives', 'channel-route test chrt_01jzk3 --wait'],
    ],
  }),
  about: ['With --wait it ends with the code 2 where nothing has come of it in three minutes.'],
  async run({ cli, positionals, flags, exitWith }) {
    let shown = await perform(cli, rows['channelRoutes.test'], positionals, { flags });
    if (!flags.is('wait')) return shown;
    const wanted = { ...positionals, delivery_id: shown.channel_route_delivery_id };
    const end = performance.now() + waitSeconds * 1_000;
    while (!over.has(shown.status)) {
      if (performance.now() + lookSeconds * 1_000 > end) {
        exitWith(undecided);
        return shown;
      }
      await delay(lookSeconds * 1_000, undefined, { signal: cli.signal });
      const { channel_route_deliveries: found } = await perform(cli, rows['channelRoutes.deliveries'], wanted);
      shown = (found as readonly Record<string, unknown>[])[0] ?? shown;
    }
    if (shown.status !== 'delivered') exitWith(1);
    return shown;
  },
};

const list = operationCommand('channel-route list', rows['channelRoutes.list'], {
  takes: [take('org_id')],
  columns: ['channel_route_id', 'route_name', 'channel_id', 'status', 'pause_reason', 'revision'],
  examples: [['All of them', 'channel-route list']],
  empty: 'No routes. Make one with svc channel-route configure.',
});

const status: Command = {
  words: 'channel-route status',
  summary: rows['channelRoutes.get'].summary,
  about: ['Without an id: all routes of the organization.'],
  positionals: [{ ...routePlace, optional: true, only: /^chrt_/ }, ...list.positionals!],
  flags: list.flags!,
  examples: [
    ['How one stands', 'channel-route status chrt_01jzk3'],
    ['All of them', 'channel-route status'],
  ],
  operations: ['channelRoutes.get', 'channelRoutes.list'],
  async run(invocation) {
    const { cli, positionals } = invocation;
    const id = positionals.channel_route_id;
    if (id === undefined) return list.run(invocation);
    return perform(cli, rows['channelRoutes.get'], { channel_route_id: id });
  },
};

/** A command that changes what another part of a route is. */
const change = (words: string, more: Omit<NonNullable<Parameters<typeof operationCommand>[2]>, 'takes' | 'texts'>) => {
  const { set, more: flags = [], ...shape } = more;
  return operationCommand(words, rows['channelRoutes.update'], {
    ...shape,
    takes: [route],
    texts,
    flags: { expected_revision: null, ...shape.flags },
    more: [...flags, revision],
    also: ['channelRoutes.get'],
    set: async (call, found) => ({ ...(await set?.(call, found)), expected_revision: await revisionOf(call) }),
  });
};

const scope = change('channel-route scope', {
  flags: { ...names, project_ids: null, include_org_events: null, on_call_pubkey: null, on_call_display_name: null },
  more: [
    { name: 'every-type', type: 'boolean', about: 'Events of every type that may be told.' },
    { name: 'every-class', type: 'boolean', about: 'Events of every class that may be told.' },
    {
      name: 'org-events',
      type: 'string',
      choices: ['on', 'off'],
      about: 'Whether events of the organization as a whole are told, too.',
    },
  ],
  set: ({ flags }) => {
    for (const name of ['type', 'class'])
      if (flags.is(`every-${name}`) && flags.value(name) !== undefined)
        throw badUsage(`--${name} and --every-${name} exclude each other.`, { field: name });
    const orgEvents = flags.text('org-events');
    return {
      ...(flags.is('every-type') ? { event_types: null } : {}),
      ...(flags.is('every-class') ? { event_classes: null } : {}),
      ...(orgEvents === undefined ? {} : { include_org_events: orgEvents === 'on' }),
    };
  },
  examples: [
    ['Deploys alone', 'channel-route scope chrt_01jzk3 --type deploy_activated'],
    ['All that may be told of all projects', 'channel-route scope chrt_01jzk3 --scope org --every-type'],
  ],
});

const projects = change('channel-route projects', {
  flags: {
    ...names,
    route_name: null,
    project_scope: null,
    event_types: null,
    event_classes: null,
    include_org_events: null,
    on_call_pubkey: null,
    on_call_display_name: null,
  },
  set: ({ flags }) => {
    if (flags.value('projects') === undefined) throw badUsage('--projects is missing.', { field: 'projects' });
    return { project_scope: 'listed' };
  },
  examples: [['These, and no others', 'channel-route projects chrt_01jzk3 --projects prj_01jzk3,prj_01jzk4']],
});

const onCall = change('channel-route on-call', {
  flags: {
    ...names,
    route_name: null,
    project_ids: null,
    project_scope: null,
    event_types: null,
    event_classes: null,
    include_org_events: null,
    on_call_pubkey: 'pubkey',
    on_call_display_name: 'name',
  },
  more: [{ name: 'clear', type: 'boolean', about: 'Nobody any more.' }],
  set: ({ flags }) => {
    if ((flags.text('pubkey') === undefined) !== flags.is('clear'))
      throw badUsage('Give --pubkey with a public key, or --clear.', { field: 'pubkey' });
    return flags.is('clear') ? { on_call_pubkey: null, on_call_display_name: null } : {};
  },
  examples: [
    ['Address an agent', 'channel-route on-call chrt_01jzk3 --pubkey 79be667e… --name fixer'],
    ['Nobody', 'channel-route on-call chrt_01jzk3 --clear'],
  ],
});

export const group: Group = {
  name: 'channel-route',
  about: [
    'svc channel-route: channels of chat communities that events of projects are told in.',
    'Install a community first: svc channel-community create',
  ],
  commands: everyCommand(rows, [
    operationCommand('channel-route configure', rows['channelRoutes.configure'], {
      takes: [take('org_id')],
      flags: names,
      texts,
      examples: [
        [
          'Deploys and errors of a project',
          'channel-route configure --community chci_01jzk3 --channel deploys --name deploys --projects prj_01jzk3',
        ],
        [
          'Everything of all projects',
          'channel-route configure --community chci_01jzk3 --channel ops --name ops --scope org',
        ],
      ],
    }),
    list,
    scope,
    projects,
    onCall,
    status,
    test,
    operationCommand('channel-route deliveries', rows['channelRoutes.deliveries'], {
      takes: [route],
      flags: { delivery_id: 'delivery' },
      columns: ['channel_route_delivery_id', 'event_type', 'status', 'attempt_count', 'next_attempt_at', 'last_error'],
      examples: [['What it was told', 'channel-route deliveries chrt_01jzk3']],
      empty: 'Nothing in the last 90 days.',
    }),
    operationCommand('channel-route pause', rows['channelRoutes.pause'], {
      takes: [route],
      examples: [['Quiet for now', 'channel-route pause chrt_01jzk3']],
    }),
    operationCommand('channel-route resume', rows['channelRoutes.resume'], {
      takes: [route],
      examples: [['Go on', 'channel-route resume chrt_01jzk3']],
    }),
    operationCommand('channel-route rotate', rows['channelRoutes.rotate'], {
      takes: [route],
      examples: [['A new key', 'channel-route rotate chrt_01jzk3']],
    }),
    operationCommand('channel-route revoke', rows['channelRoutes.revoke'], {
      takes: [route],
      confirm: 'the channel is told nothing any more, for good.',
      examples: [['For good', 'channel-route revoke chrt_01jzk3 --confirm']],
    }),
  ]),
};
