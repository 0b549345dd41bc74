import { isObject, RpcError, type RpcMessage, rpcCodes } from '../json-rpc.ts';

/** Revisions that begin with `initialize`, oldest first. Contract 00, section 4.1. */
const classicRevisions = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** What a classic client gets that asks for a revision which is not known. */
const newestClassic = '2025-11-25';

/** What a classic client means that says nothing. */
const batchRevision = '2025-03-26';

/** The revision in which every request says everything anew. */
export const statelessRevision = '2026-07-28';

export const revisions: readonly string[] = [...classicRevisions, statelessRevision];

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const clientInfoKey = 'io.modelcontextprotocol/clientInfo';

/** Codes that the stateless revision adds. */
const codes = { headerMismatch: -32_020, unsupportedVersion: -32_022 } as const;

export type Era = 'classic' | 'stateless';

type Headers = Readonly<Record<string, string | undefined>>;

const isClassic = (revision: string) => (classicRevisions as readonly string[]).includes(revision);

/** The revision that `initialize` is answered with: the one asked for when it is known. */
export const negotiated = (asked: unknown): string =>
  typeof asked === 'string' && isClassic(asked) ? asked : newestClassic;

/** Whether several messages may come in one request: one revision had that. */
export const takesBatches = (headers: Headers): boolean =>
  (headers['mcp-protocol-version']?.trim() ?? batchRevision) === batchRevision;

const refuse = (code: number, message: string, data?: unknown) =>
  new RpcError(code, message, { status: 400, ...(data === undefined ? {} : { data }) });

const metaOf = ({ params }: Pick<RpcMessage, 'params'>) => (isObject(params._meta) ? params._meta : {});

/**
 * Which generation of the protocol a message is of, told by what it says of itself; headers have to agree with it.
 *
 * @throws RpcError with HTTP 400 for what is of neither, or of one of them and not as it asks for
 */
export function eraOf(message: RpcMessage, headers: Headers): Era {
  const header = headers['mcp-protocol-version']?.trim();
  const isStateless = versionKey in metaOf(message);
  if (!isStateless) {
    if (message.method === 'initialize') {
      if (header === statelessRevision)
        throw mismatch(header, 'initialize begins a session, which the revision of the header does not have');
      return 'classic';
    }
    // A notification says nothing of itself; it is not answered in either generation.
    if (header === statelessRevision && message.id !== undefined)
      throw refuse(rpcCodes.invalidParams, `The request is missing params._meta["${versionKey}"].`, {
        envelope: { missing: [versionKey] },
      });
    if (header !== undefined && !revisions.includes(header))
      throw refuse(rpcCodes.invalidRequest, `The revision ${header.slice(0, 64)} is not known.`, {
        supported: revisions,
      });
    return header === statelessRevision ? 'stateless' : 'classic';
  }
  checkStateless(message, headers, header);
  return 'stateless';
}

function checkStateless(message: RpcMessage, headers: Headers, header: string | undefined): void {
  const { method, id } = message;
  const { [versionKey]: version, [capabilitiesKey]: capabilities, [clientInfoKey]: client } = metaOf(message);
  const fault =
    typeof version !== 'string'
      ? [versionKey, 'expected a string']
      : id !== undefined && capabilities === undefined
        ? [capabilitiesKey, 'missing']
        : capabilities !== undefined && !isObject(capabilities)
          ? [capabilitiesKey, 'expected an object']
          : client !== undefined && !isClient(client)
            ? [clientInfoKey, 'expected an object with a name and a version']
            : undefined;
  if (fault !== undefined) {
    const [key, problem] = fault;
    throw refuse(rpcCodes.invalidParams, `params._meta["${key}"]: ${problem}`, { envelope: { key, problem } });
  }
  if (header !== undefined && header !== version)
    throw mismatch(header, `the body names the revision ${String(version).slice(0, 64)}`);
  const named = headers['mcp-method']?.trim();
  if (named !== undefined && named !== method) throw mismatch(named, `the body names the method ${method}`);
  if (version !== statelessRevision)
    throw refuse(codes.unsupportedVersion, 'Unsupported protocol version.', {
      supported: [statelessRevision],
      requested: version,
    });
  if (id === undefined) return;
  if (header === undefined) throw mismatch('(missing)', 'the header MCP-Protocol-Version is missing');
  if (named === undefined) throw mismatch('(missing)', 'the header Mcp-Method is missing');
  if (method === 'tools/call') checkName(message, headers['mcp-name']?.trim());
}

function checkName({ params: { name } }: RpcMessage, header: string | undefined): void {
  if (typeof name !== 'string') return;
  if (header === undefined) throw mismatch('(missing)', 'the header Mcp-Name is missing');
  if (decoded(header) !== name) throw mismatch(header, 'the body names another tool');
}

const base64Form = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Names that no header can carry come in base64. */
function decoded(header: string): string {
  const packed = base64Form.exec(header)?.[1];
  return packed === undefined ? header : Buffer.from(packed, 'base64').toString();
}

const isClient = (client: unknown) =>
  isObject(client) && typeof client.name === 'string' && typeof client.version === 'string';

const mismatch = (header: string, body: string) =>
  refuse(codes.headerMismatch, `The headers and the body of the request disagree: ${body}.`, {
    mismatch: { header: header.slice(0, 256), body },
  });
