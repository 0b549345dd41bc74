/** Kinds of client that operations are reached by, in the order of the table. */
export const surfaceKinds = ['GraphQL', 'REST', 'SDK', 'command', 'tool', 'OpenAPI'] as const;
export type SurfaceKind = (typeof surfaceKinds)[number];

/** Why an operation may be missing on a surface. */
export const reasons = {
  stream: 'it begins a subscription, and this surface holds no streams',
  twin: 'another operation says the same here',
  bytes: 'it answers bytes, and this surface hands on the address where they are had',
  hashes: 'its rows hold hashes of passwords, which do not belong in the context of a model',
  upload: 'it is one step of an upload, whose bytes this surface does not send',
  issuer: 'it takes the key of an issuer of vouchers, a program that calls REST or GraphQL itself',
  people: 'it decides who outside is told of a project, which models look at and leave to people',
  payer: 'whoever pays is who acts, while this surface looks at the credential first',
} as const;

type Absences = Readonly<Partial<Record<SurfaceKind, keyof typeof reasons>>>;

const stream: Absences = { REST: 'stream', tool: 'stream', OpenAPI: 'stream' };
/** Their tools wait for what comes next. */
const held: Absences = { REST: 'stream', OpenAPI: 'stream' };

/** Paths of the server's own that say the same, with the keys of a project. */
export const elsewhere: Readonly<Record<string, readonly string[]>> = {
  'projects.openLive': ['GET /live/v1', 'GET /live/v1/changes'],
};

/** Every absence, with its reason. */
export const absences: Readonly<Record<string, Absences>> = {
  // A caller that asks `audit_site` for its progress is told of the same steps.
  'audit.watch': { ...stream, tool: 'twin' },
  'channelCommunities.activate': { tool: 'people' },
  'channelCommunities.create': { tool: 'people' },
  'channelCommunities.revoke': { tool: 'people' },
  'channelCommunities.update': { tool: 'people' },
  'channelRoutes.configure': { tool: 'people' },
  'channelRoutes.pause': { tool: 'people' },
  'channelRoutes.resume': { tool: 'people' },
  'channelRoutes.revoke': { tool: 'people' },
  'channelRoutes.rotate': { tool: 'people' },
  'channelRoutes.test': { tool: 'people' },
  'channelRoutes.update': { tool: 'people' },
  'claims.open': held,
  'archives.commitUpload': { command: 'upload' },
  'archives.planUpload': { command: 'upload' },
  'content.commit': { command: 'upload' },
  'content.plan': { command: 'upload' },
  'deploys.open': { REST: 'stream', OpenAPI: 'stream' },
  'downloads.take': { GraphQL: 'bytes', tool: 'bytes' },
  'escalations.open': held,
  'email.openMessages': stream,
  'events.open': held,
  'functions.openLogs': stream,
  'functions.openRun': stream,
  'jobs.openLogs': stream,
  'projects.openLive': { tool: 'stream', OpenAPI: 'stream' },
  'rooms.claimInvite': { GraphQL: 'payer' },
  // A presence is a node of the graph, and tiers.list has the same prices.
  'rooms.getPresence': { GraphQL: 'twin' },
  // The list of messages waits for the next one by itself.
  'rooms.open': { REST: 'twin', tool: 'twin', OpenAPI: 'twin' },
  'rooms.openPresences': held,
  'tiers.quote': { GraphQL: 'twin' },
  'users.import': { tool: 'hashes' },
  'vouchers.list': { command: 'issuer', tool: 'issuer' },
  'vouchers.mint': { command: 'issuer', tool: 'issuer' },
};
