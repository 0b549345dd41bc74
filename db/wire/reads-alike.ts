import type { BatchRows, BatchStatement } from './batch.ts';
import type { SharedRead } from './shared-read.ts';

/** Most reads that share a transaction: what comes behind one that fails is asked again. */
const togetherMax = 4;
/** Groups of one statement that a read is held against: callers who all differ would be compared in vain. */
const comparedMax = 4;
/** An answer up to so many characters may be waited for by others. */
const smallLength = 32 * 1024;
/** Most statements whose answers are known to be small. */
const namesMax = 2_000;
/** How long what took long together goes alone, in milliseconds: to find out anew costs a connection. */
const heldUpTogetherMs = 600_000;

/** The prepared statements of a project that answered with little the last time they were asked. */
export class SmallReads {
  /** From when on each may share a transaction. */
  readonly #names = new Map<string, number>();

  has(name: string): boolean {
    const from = this.#names.get(name);
    return from !== undefined && (from === 0 || from <= performance.now());
  }

  /** Takes note of how much a read was answered. */
  note({ statements }: Pick<SharedRead, 'statements'>, rows: BatchRows): void {
    const name = statements[1]?.name;
    if (name === undefined || statements.length !== 2) return;
    if (lengthOf(rows[1]!) > smallLength) this.#names.delete(name);
    else if (!this.#names.has(name)) this.#set(name, 0);
  }

  /** Takes note of reads that took long together, as none of them may have done alone: they go alone for a while. */
  heldUp({ statements }: Pick<SharedRead, 'statements'>): void {
    this.#set(statements[1]!.name!, performance.now() + heldUpTogetherMs);
  }

  #set(name: string, from: number): void {
    if (this.#names.size >= namesMax) this.#names.clear();
    this.#names.set(name, from);
  }
}

const lengthOf = (rows: BatchRows[number]): number => {
  let length = 0;
  for (const row of rows) for (const field of row) length += field?.length ?? 0;
  return length;
};

/**
 * Puts those together that ask the same statement with the very same role, claims and headers, which costs as much to set
 * as many a row. Reads that run code of the project's, which might change any of it, do not come this way at all.
 */
export function alikeReads(reads: readonly SharedRead[], small: SmallReads): SharedRead[][] {
  const groups: SharedRead[][] = [];
  const byName = new Map<string, SharedRead[][]>();
  for (const read of reads) {
    const name = read.statements.length === 2 ? read.statements[1]!.name : undefined;
    if (name === undefined || !small.has(name)) {
      groups.push([read]);
      continue;
    }
    const latest = byName.get(name) ?? [];
    const group = latest.find((one) => one.length < togetherMax && isSame(one[0]!.statements[0]!, read.statements[0]!));
    if (group !== undefined) {
      group.push(read);
      continue;
    }
    const begun = [read];
    groups.push(begun);
    if (latest.push(begun) > comparedMax) latest.shift();
    byName.set(name, latest);
  }
  return groups;
}

const isSame = (one: BatchStatement, other: BatchStatement) =>
  one.text === other.text && one.values.every((value, nth) => value === other.values[nth]);
