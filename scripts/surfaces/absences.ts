/** Kinds of client that operations are reached by, in the order of the table. */
export const surfaceKinds = ['GraphQL', 'REST', 'SDK', 'command', 'tool', 'OpenAPI'] as const;
export type SurfaceKind = (typeof surfaceKinds)[number];

/** Why an operation may be missing on a surface. */
export const reasons = {
  stream: 'it begins a subscription, and this surface holds no streams',
  twin: 'another operation says the same here',
  bytes: 'it answers bytes, and this surface hands on the address where they are had',
  payer: 'whoever pays is who acts, while this surface looks at the credential first',
  protocol: 'a protocol fixes where it is asked for',
} as const;

type Absences = Readonly<Partial<Record<SurfaceKind, keyof typeof reasons>>>;

const stream: Absences = { REST: 'stream', tool: 'stream', OpenAPI: 'stream' };

/** Every absence, with its reason. */
export const absences: Readonly<Record<string, Absences>> = {
  'audit.watch': stream,
  'claims.open': stream,
  'downloads.take': { GraphQL: 'bytes', tool: 'bytes' },
  'escalations.open': stream,
  'events.open': stream,
  // A well-known path.
  'licences.getKeys': { GraphQL: 'protocol' },
  'projects.openLive': stream,
  'rooms.claimInvite': { GraphQL: 'payer' },
  // A presence is a node of the graph, and tiers.list has the same prices.
  'rooms.getPresence': { GraphQL: 'twin' },
  'rooms.open': stream,
  'rooms.openPresences': stream,
  'tiers.quote': { GraphQL: 'twin' },
};
