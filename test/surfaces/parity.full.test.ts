import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RateLimiter } from '../../kernel/limits/rate-limit.ts';
import { surfaces } from '../../scripts/surfaces.ts';
import { callers, stageSurfaces } from '../access/surface-stage.ts';
import { auditedSite } from '../access/surfaces/audits.ts';
import { masked } from '../helpers/as-wire.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { doorsOf, type Told } from './call-surfaces.ts';
import { type CommandCaller, commandOf } from './command-surface.ts';

// Every operation by every door, with real input: whatever door it is asked at, the answer is the same.

const sites = await startSites({ [auditedSite]: { '/': '<title>Audited</title>' } });
const service = await startService({ auditTrial: sites.trial, env: { SVC_LEASES: 'on' } });
afterAll(async () => {
  await service.stop();
  await doors.stop();
  sites.close();
});
const stage = await stageSurfaces(service);
const doors = await doorsOf(service, stage);

const nameOf = (surface: (typeof called)[number]) => `${surface.path!.method} ${surface.path!.path}`;
const order = Object.keys(stage.surfaces);
const called = surfaces()
  .filter(({ path }) => path !== undefined && !path.answersBytes)
  .toSorted((one, other) => order.indexOf(nameOf(one)) - order.indexOf(nameOf(other)));

/** Whoever may, or where nobody may for lack of a payment or a setting, the owner. */
const callerOf = (surface: (typeof called)[number]) => {
  const cells = stage.surfaces[nameOf(surface)]!.cells.split(' ');
  const preferred = ['wallet', ...callers] as const;
  return preferred.find((caller) => cells[callers.indexOf(caller)] === '+') ?? 'wallet';
};

/** Callers as somebody at a terminal is one. */
const atTheTerminal: Readonly<Record<string, CommandCaller>> = {
  nobody: { env: {} },
  wallet: { env: {}, wallet: stage.wallet },
  admin: { env: { SVC_ADMIN_KEY: (await stage.actors.admin.headers('/'))['x-admin-key']! } },
  service_key: { env: { SVC_SERVICE_KEY: stage.serviceKey } },
};

/** Members that count, or hold what each call makes anew. */
const ofEachCall =
  /^(project_name|project_name_snapshot|api_calls|generation|remaining|wall_seconds|used|storage_bytes|size_bytes|database_bytes|epoch|nonce|balance_after_available|balance_usd_micros|schema_slot|token|.*_token|.*_url|service_key|anon_key|secret|.*_ms)$/;
/** Addresses that are good for a while. */
const expiring = /[?&]expires=\d+/;
/** Addresses of wallets, keys and digests. */
const keys = /\b(0x[0-9a-f]{40}|[0-9a-f]{32,64})\b/g;
/** Names that the gateway makes up for presences, and the walk for what has to have another one each time. */
const madeUp = /^([A-Z][a-z]+[A-Z][a-z]+\d*|walked \d+)$/;

/** A value without what differs from one call to the next; of rows that are alike then, one. */
function settled(value: unknown, name = ''): unknown {
  // The log holds the very requests that read it, and so do the counters.
  if (
    typeof value === 'object' &&
    value !== null &&
    ['requests', 'points'].some((one) => Array.isArray((value as Record<string, unknown>)[one]))
  )
    return Object.keys(value);
  if (Array.isArray(value)) {
    const seen = new Map(value.map((one) => settled(one)).map((one) => [JSON.stringify(one), one]));
    return [...seen.values()];
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, settled(inner, member)]));
  if (value !== null && ofEachCall.test(name)) return typeof value;
  if (typeof value !== 'string') return masked(value);
  return madeUp.test(value) || expiring.test(value) ? '…' : masked(value).replace(keys, '…');
}

/**
 * Whose command shows what several operations have, is given a key that only its makers know, or takes no value on its
 * line.
 */
const listsMore = [
  // It reads and sends a file of this machine.
  'archives.import',
  'archives.commitUpload',
  'archives.inspect',
  'archives.planUpload',
  'archives.verify',
  'assets.put',
  // It says in words of its own what was done.
  'billing.setAutoRecharge',
  'feedback.send',
  // What was signed is put together from the community and a file.
  'channelCommunities.activate',
  // It has the wallet sign the delegation anew.
  'ci.createBinding',
  'contacts.list',
  'deploys.commit',
  'deploys.plan',
  // Settings are words of its line.
  'notices.setPreferences',
  'rooms.claimInvite',
  'secrets.set',
];

/** Members that a command leaves out, or adds: keys are kept in a file, and contacts of every kind are one list. */
const ownOfCommands: Readonly<Record<string, readonly string[]>> = {
  'projects.create': ['anon_key', 'service_key', 'keys_saved'],
  'projects.getKeys': ['keys_saved'],
  'rooms.mintInvite': ['announced', 'key'],
  'transfers.accept': ['anon_key', 'service_key', 'keys_saved'],
  'transfers.claim': ['anon_key', 'service_key', 'keys_saved'],
};
/** Where a command or a tool that shows more has the answer. */
const answerAt: Readonly<Record<string, string>> = { 'rooms.join': 'you' };
const ownPart = (operation: string, told: Told): Told => {
  const at = answerAt[operation];
  if (at === undefined || 'refused' in told) return told;
  return { answer: (told.answer as Record<string, unknown>)[at] };
};
const asShown = (operation: string, told: Told): unknown =>
  JSON.parse(JSON.stringify(told, (name, value) => (ownOfCommands[operation]?.includes(name) ? undefined : value)));

/** Answers that hold the calls themselves. */
const ofTheMoment = [
  // Each one raises the generation.
  'cache.invalidate',
  'projects.getMetrics',
  'projects.listRequests',
  // The graph answers the deploy or the diagnosis as a whole.
  'deploys.commit',
  'deploys.rehearse',
  'deploys.resolve',
  'releases.promote',
];

/** What a rehearsal has found is no failure of its own: it is told in the report. */
const isFailed = (answer: unknown): answer is { readonly error: { readonly code: string } } => {
  const { status, error } = (answer ?? {}) as { readonly status?: unknown; readonly error?: unknown };
  return status === 'failed' && typeof error === 'object' && error !== null;
};

/** Every scalar of a value, with the name of the member that holds it; words of enums are spelt alike. */
function leaves(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => leaves(one, name));
  if (typeof value === 'string') return [`${name}: ${JSON.stringify(value.toLowerCase().replaceAll('-', '_'))}`];
  if (typeof value !== 'object' || value === null) return [`${name}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([member, inner]) => leaves(inner, member));
}

const memberOf = (leaf: string) => leaf.split(':')[0]!;

/** Ids of nodes, states of objects where a path says how the request went, and sizes that lists do not measure. */
const ofTheGraph = /^(id:|status:|storage_bytes: null$)/;
/** Operations that leave out over REST what is null in the graph. */
const leavesOutNulls = ['jobs.list'];

beforeAll(async () => {
  // Whoever makes organizations by every door has too many free ones soon.
  await service.control.sql(`update orgs set tier = 'team'`);
});

// All that is asked comes from one address.
beforeEach(() => void Object.assign(service.app.services, { rateLimiter: new RateLimiter() }));

describe.each(called.map((surface) => ({ name: surface.name, surface, caller: callerOf(surface) })))(
  '$name as $caller',
  ({ surface, caller }) => {
    const ask = async (door: 'rest' | 'graph' | 'sdk' | 'tool' | 'command') => {
      await doors.prepare(surface);
      if (surface.name === 'orgs.create') await service.control.sql(`update orgs set tier = 'team'`);
      const told =
        door === 'command'
          ? await doors.command(atTheTerminal[caller]!, surface)
          : await doors[door](stage.actors[caller], surface);
      return settled(told) as Told;
    };

    test('is answered alike over REST, by the SDK and by its tool', async () => {
      // The first of all makes what the others find.
      await ask('rest');
      const rest = await ask('rest');
      expect(await ask('sdk')).toEqual(rest);
      if (surface.tool !== undefined) expect(ownPart(surface.name, await ask('tool'))).toEqual(rest);
    });

    test.runIf(commandOf(surface) !== undefined && !listsMore.includes(surface.name))(
      'is answered by its command as over REST',
      async () => {
        await ask('rest');
        const rest = await ask('rest');
        const told = await ask('command');
        // A command pays, or says why it does not.
        if ('refused' in rest && rest.refused === 'PAYMENT_REQUIRED')
          return expect(told).toEqual({ refused: expect.stringMatching(/^PAYMENT|^SPEND_CAP/) });
        // One that waits for the end of something fails when that does.
        if ('answer' in rest && isFailed(rest.answer)) return expect(told).toEqual({ refused: rest.answer.error.code });
        expect(asShown(surface.name, ownPart(surface.name, told))).toEqual(asShown(surface.name, rest));
      },
    );

    test.runIf(doors.field(surface) !== undefined && !ofTheMoment.includes(surface.name))(
      'is answered in the graph as over REST',
      async () => {
        const rest = await ask('rest');
        const graph = await ask('graph');
        if ('refused' in rest || 'refused' in graph) return expect(graph).toEqual(rest);
        const names = new Set(leaves(rest.answer).map(memberOf));
        const told = leaves(graph.answer).filter((leaf) => names.has(memberOf(leaf)) && !ofTheGraph.test(leaf));
        const shared = leavesOutNulls.includes(surface.name) ? told.filter((leaf) => !leaf.endsWith(': null')) : told;
        expect(leaves(rest.answer)).toEqual(expect.arrayContaining(shared));
        compared.set(surface.name, shared.length);
      },
    );
  },
);

/** Whose members go by other names in the graph, or are lists with nothing in them here. */
const otherwiseSpelt = [
  'identity.whoami',
  'feedback.send',
  'invites.list',
  'transfers.listIncoming',
  'transfers.listOutgoing',
  'functions.runLogs',
  'functions.rebuild',
  'functions.getMetrics',
  'jobs.logs',
  'ai.activateAddon',
  'ai.deactivateAddon',
  'channelRoutes.deliveries',
  'deploys.listEvents',
  'notices.listChannels',
  'projects.schema',
  'projects.access',
  'projects.applyExpose',
  'projects.validateExpose',
  'projects.validateManifest',
  'queries.list',
];

/** How many members of each operation the graph and REST were both asked for. */
const compared = new Map<string, number>();
test('the graph was held against REST by something that both have', () => {
  expect([...compared].filter(([, count]) => count === 0).map(([name]) => name)).toEqual(otherwiseSpelt);
});
