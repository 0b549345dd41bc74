import type { SharedRead } from './read-carrier.ts';
import type { BatchRows, BatchStatement } from './statement-batch.ts';

/** Most reads that share a transaction: what comes behind one that fails is asked again. */
const togetherMax = 4;
/** Groups of one statement that a read is held against: callers who all differ would be compared in vain. */
const comparedMax = 4;
/** An answer up to so many characters may be waited for by others. */
const smallLength = 32 * 1024;
/** Most statements whose answers are known to be small. */
const namesMax = 2_000;

/** The prepared statements of a project that answered with little the last time they were asked. */
export class SmallReads {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Takes note of how much a read was answered. */
  note({ statements }: Pick<SharedRead, 'statements'>, rows: BatchRows): void {
    const name = statements[1]?.name;
    if (name === undefined || statements.length !== 2) return;
    if (lengthOf(rows[1]!) > smallLength) this.#names.delete(name);
    else if (!this.#names.has(name)) {
      if (this.#names.size >= namesMax) this.#names.clear();
      this.#names.add(name);
    }
  }
}

const lengthOf = (rows: BatchRows[number]): number => {
  let length = 0;
  for (const row of rows) for (const field of row) length += field?.length ?? 0;
  return length;
};

/**
 * Puts those together that ask the same statement with the very same role, claims and headers: whatever a policy does
 * inside their transaction, it does for this caller and this statement alone. Setting these costs as much as many a row.
 */
export function alikeReads(reads: readonly SharedRead[], small: SmallReads): SharedRead[][] {
  const groups: SharedRead[][] = [];
  const byName = new Map<string, SharedRead[][]>();
  for (const read of reads) {
    const name = read.statements.length === 2 ? read.statements[1]!.name : undefined;
    const candidates = name === undefined || !small.has(name) ? undefined : byName.get(name);
    const group = candidates?.find(
      (one) => one.length < togetherMax && isSame(one[0]!.statements[0]!, read.statements[0]!),
    );
    if (group !== undefined) {
      group.push(read);
      continue;
    }
    const alone = [read];
    groups.push(alone);
    if (name === undefined) continue;
    if (candidates === undefined) byName.set(name, [alone]);
    else if (candidates.push(alone) > comparedMax) candidates.shift();
  }
  return groups;
}

const isSame = (one: BatchStatement, other: BatchStatement) =>
  one.text === other.text && one.values.every((value, nth) => value === other.values[nth]);
