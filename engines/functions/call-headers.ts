/** A header, by its name and value. */
export type Header = readonly [name: string, value: string];

/** Headers of one connection alone (RFC 9110, section 7.6.1), and those that frame a body, which every hop writes anew. */
const ofOneHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
]);

/** The headers that `Connection` names belong to that connection, too. */
const namedByConnection = (headers: readonly Header[]): ReadonlySet<string> =>
  new Set(
    headers
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase())),
  );

/** What is the platform's to say: neither a caller nor a function sets it. */
const isPlatforms = (name: string): boolean => name.startsWith('x-svc-');

function endToEnd(headers: readonly Header[]): Header[] {
  const dropped = namedByConnection(headers);
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !ofOneHop.has(lower) && !dropped.has(lower);
  });
}

/**
 * The headers that a function sees of a request. Contract 03, section 3.8.
 *
 * @param raw names and values in turn, as `IncomingMessage.rawHeaders` has them
 * @param added the platform's own, whose undefined values are left out
 */
export function headersForFunction(
  raw: readonly string[],
  added: Readonly<Record<string, string | undefined>>,
): readonly Header[] {
  const given = raw.flatMap((name, at): Header[] => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1]!]] : []));
  return [
    ...endToEnd(given).filter(([name]) => !isPlatforms(name)),
    ...Object.entries(added).flatMap(([name, value]): Header[] => (value === undefined ? [] : [[name, value]])),
  ];
}

/**
 * The headers of a function's answer that go out: without a word on caches nobody keeps it. Contract 03, section 3.8.
 *
 * @param added the platform's own, which take the place of the function's
 */
export function headersOfAnswer(
  given: readonly Header[],
  added: Readonly<Record<string, string | undefined>>,
): readonly Header[] {
  const answered = endToEnd(given).filter(([name]) => added[name.toLowerCase()] === undefined);
  const isCacheable = answered.some(([name]) => name.toLowerCase() === 'cache-control');
  return [
    ...answered,
    ...(isCacheable || added['cache-control'] !== undefined ? [] : ([['cache-control', 'private, no-store']] as const)),
    ...Object.entries(added).flatMap(([name, value]): Header[] => (value === undefined ? [] : [[name, value]])),
  ];
}
