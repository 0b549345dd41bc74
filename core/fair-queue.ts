/** How much may wait. */
export interface FairQueueOptions {
  /** Items of all together. */
  readonly max: number;
  /** Items of one sharer. */
  readonly shareMax: number;
}

/**
 * What waits for several who share one thing, handed out in turns: whoever has much waiting holds up nobody who has
 * little, and cannot fill the queue alone. Items of one sharer come in their order.
 */
export class FairQueue<Item> {
  readonly #options: FairQueueOptions;
  /** By sharer, whose turn is next first; nobody is here without an item. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns false when there is no room for it */
  push(sharer: string, item: Item): boolean {
    const own = this.#waiting.get(sharer);
    if (this.#size >= this.#options.max || (own?.length ?? 0) >= this.#options.shareMax) return false;
    if (own === undefined) this.#waiting.set(sharer, [item]);
    else own.push(item);
    this.#size += 1;
    return true;
  }

  /** Takes out the next item; its sharer has its next turn after all others. */
  shift(): Item | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [sharer, own] = next;
    const item = own.shift()!;
    this.#waiting.delete(sharer);
    if (own.length > 0) this.#waiting.set(sharer, own);
    this.#size -= 1;
    return item;
  }

  /** Takes out an item that waits no longer. @returns false when it is not here */
  remove(sharer: string, item: Item): boolean {
    const own = this.#waiting.get(sharer);
    const at = own?.indexOf(item) ?? -1;
    if (own === undefined || at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(sharer);
    this.#size -= 1;
    return true;
  }
}
