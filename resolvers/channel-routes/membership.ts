import type { Services } from '../../kernel/run/context.ts';

/** Channels of a community, and who asks of them. */
export interface AskedChannels {
  readonly relayUrl: string;
  /** The key that the relay itself signs with. */
  readonly subject: string;
  readonly channelIds: readonly string[];
  readonly secret: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** Members of channels, by the public keys. */
export type Members = ReadonlyMap<string, ReadonlySet<string>>;

/** Kind of the event by which a relay says who the members of a group are, NIP-29. */
const membersKind = 39_002;

/** Members of channels, by the newest lists that the relay itself has signed. @throws RelayError */
export async function membersOf({ relays }: Pick<Services, 'relays'>, asked: AskedChannels): Promise<Members> {
  const { relayUrl, subject, channelIds, secret, signal } = asked;
  const filter = { kinds: [membersKind], authors: [subject], '#d': channelIds, limit: channelIds.length * 2 };
  const found = await relays.find(relayUrl, filter, { secret, signal });
  const lists = found
    .filter(({ kind, pubkey }) => kind === membersKind && pubkey === subject)
    .toSorted((left, right) => left.created_at - right.created_at);
  // A newer one comes later, and stands in place of an older one.
  return new Map(lists.map(({ tags }) => [valuesOf(tags, 'd')[0] ?? '', new Set(valuesOf(tags, 'p'))]));
}

const valuesOf = (tags: readonly (readonly string[])[], wanted: string): string[] =>
  tags.flatMap(([name, value]) => (name === wanted && value !== undefined ? [value] : []));
