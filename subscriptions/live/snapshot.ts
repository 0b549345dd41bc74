/** What a reader of the database could see: every transaction that was over by then. As `pg_snapshot`. */
export interface Snapshot {
  /** The first transaction that had not begun or had not ended when the last of all ended. */
  readonly xmax: bigint;
  /** Those before it that were under way, oldest first. */
  readonly running: readonly bigint[];
}

/** Reads `xmin:xmax:xip,…`. */
export function parseSnapshot(text: string): Snapshot {
  const [, xmax, running = ''] = text.split(':');
  return { xmax: BigInt(xmax!), running: running === '' ? [] : running.split(',').map(BigInt) };
}

/** Writes what PostgreSQL reads. */
export const snapshotText = ({ xmax, running }: Snapshot): string =>
  `${running[0] ?? xmax}:${xmax}:${running.join(',')}`;

/** Whether what a transaction did was to be seen. */
export const sees = ({ xmax, running }: Snapshot, xid: bigint): boolean => xid < xmax && !running.includes(xid);

/** Every transaction before this one was seen. */
export const oldestUnseen = ({ xmax, running }: Snapshot): bigint => running[0] ?? xmax;

/**
 * How many transactions were over. It only grows, and of two snapshots of one server the one with more of them sees
 * all that the other sees.
 */
const ended = ({ xmax, running }: Snapshot): bigint => xmax - BigInt(running.length);

/** Whether a snapshot sees everything that another one of the same server does. */
export const covers = (one: Snapshot, other: Snapshot): boolean => ended(one) >= ended(other);

export const sameMoment = (one: Snapshot, other: Snapshot): boolean => ended(one) === ended(other);

/** Short: numbers of transactions lie close together. */
export function packSnapshot({ xmax, running }: Snapshot): string {
  let last = xmax;
  const steps = running.toReversed().map((xid) => {
    const step = last - xid;
    last = xid;
    return step.toString(36);
  });
  return [xmax.toString(36), ...steps].join('.');
}

/** @throws Error for what {@link packSnapshot} would not have written */
export function unpackSnapshot(text: string): Snapshot {
  const [first, ...steps] = text.split('.').map(fromBase36);
  let last = first!;
  const running = steps.map((step) => (last -= step));
  return { xmax: first!, running: running.reverse() };
}

function fromBase36(text: string): bigint {
  if (!/^[0-9a-z]{1,13}$/.test(text)) throw new Error('This is no number.');
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value;
}
