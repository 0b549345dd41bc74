import { ArchiveFault } from './diagnostics.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a document of JSON that says everything once, and is not deeper than it may be.
 *
 * @throws ArchiveFault ARCHIVE_MALFORMED_JSON, ARCHIVE_DESCRIPTOR_TOO_DEEP, ARCHIVE_DUPLICATE_JSON_KEY
 */
export function strictJson(bytes: Uint8Array, path: string, depthMax: number): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('is no UTF-8', path);
  }
  // Before it is parsed, which takes a call for each level.
  refuseDeep(text, path, depthMax);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('is no JSON', path);
  }
  refuseRepeated(text, path);
  return value;
}

const malformed = (what: string, path: string) =>
  new ArchiveFault('ARCHIVE_MALFORMED_JSON', `The document ${what}.`, path);

/** A string, whole, or one character that opens or closes something. */
const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs;

function refuseDeep(text: string, path: string, depthMax: number): void {
  let depth = 0;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > depthMax)
      throw new ArchiveFault('ARCHIVE_DESCRIPTOR_TOO_DEEP', `The document is deeper than ${depthMax} levels.`, path);
  }
}

/** The parser takes the last of several members of one name. @param text that was parsed */
function refuseRepeated(text: string, path: string): void {
  /** For each object that is open the keys that it has had, and for each list nothing. */
  const open: (Set<string> | undefined)[] = [];
  let mayBeKey = false;
  for (const [token] of text.matchAll(tokens)) {
    const keys = open.at(-1);
    if (token.startsWith('"')) {
      if (keys === undefined || !mayBeKey) continue;
      const key = JSON.parse(token) as string;
      if (keys.has(key))
        throw new ArchiveFault(
          'ARCHIVE_DUPLICATE_JSON_KEY',
          `The member ${JSON.stringify(key.slice(0, 100))} is there twice.`,
          path,
        );
      keys.add(key);
      mayBeKey = false;
    } else if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined);
      mayBeKey = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
      mayBeKey = false;
    } else mayBeKey = token === ',' && keys !== undefined;
  }
}
