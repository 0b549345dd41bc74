/** Most bytes of a payload, written as JSON. Contract 02, section 1.1. */
export const payloadBytesMax = 8 * 1024;

export type EventPayload = Readonly<Record<string, unknown>>;

export interface FittedPayload {
  readonly payload: EventPayload;
  /** Keys were left out; the payload names them. */
  readonly truncated: boolean;
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * Leaves out as many whole keys as it takes for a payload to be small enough, the largest first, and names them in
 * `dropped_keys`. Nothing is cut inside a value. Names that are large themselves, or too many, are left out.
 */
export function fitPayload(given: EventPayload): FittedPayload {
  if (bytesOf(given) <= payloadBytesMax) return { payload: given, truncated: false };
  const sizes = Object.entries(given)
    .filter(([key]) => !markers.has(key))
    // A value comes with its name, a colon and a comma.
    .map(([key, value]) => ({ key, named: namedBytes(key), bytes: bytesOf(key) + bytesOf(value) + 2 }))
    .toSorted((left, right) => right.bytes - left.bytes);
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, markerBytes);
  const dropped = new Set<string>();
  for (const { key, bytes, named } of sizes) {
    if (dropped.size > 0 && total <= payloadBytesMax) break;
    dropped.add(key);
    total += named - bytes;
  }
  const names = Object.keys(given).filter((key) => dropped.has(key) && namedBytes(key) > 0);
  while (total > payloadBytesMax) total -= namedBytes(names.pop()!);
  const rest = Object.entries(given).filter(([key]) => !dropped.has(key) && !markers.has(key));
  return {
    payload: { ...Object.fromEntries(rest), payload_truncated: true, dropped_keys: names },
    truncated: true,
  };
}

/** Longest name that is named, written as JSON. */
const nameBytesMax = 1_024;

/** What naming a key takes, with a comma; nothing when it is not named. */
function namedBytes(key: string): number {
  const bytes = bytesOf(key);
  return bytes > nameBytesMax ? 0 : bytes + 1;
}

/** What the platform adds to a payload it cut, so none of the application's own is kept beside it. */
const markers: ReadonlySet<string> = new Set(['payload_truncated', 'dropped_keys']);
const markerBytes = bytesOf({ payload_truncated: true, dropped_keys: [] });
