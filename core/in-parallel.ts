/**
 * Does a piece of work for each of many things, a few at a time, and waits until all are done.
 *
 * @param most how many at a time
 * @returns the results, in the order of the things
 * @throws what the first piece throws that fails; those under way are waited for, and no more are begun
 */
export async function inParallel<Thing, Result>(
  things: readonly Thing[],
  most: number,
  work: (thing: Thing, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(things.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < things.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(things[at]!, at);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(most, things.length) }, worker));
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return results;
}
