/** Makes each thing when it is first asked for, and once; again, when that failed. */
export function lazily<Key, T>(make: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const made = new Map<Key, Promise<T>>();
  return async (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known.catch((error: unknown) => {
      made.delete(key);
      throw error;
    });
  };
}
