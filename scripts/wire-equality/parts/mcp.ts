import type { Exchange } from '../exchange.ts';
import { http } from '../http.ts';
import { badVariants, inOrder, type JsonSchema, sampleObject, takesAway } from '../samples.ts';
import type { Caller, Side } from '../side.ts';
import { newWorld } from '../world.ts';

interface Tool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

const accept = 'application/json, text/event-stream';

function rpc(path: string, group: string, name: string, as: Caller, method: string, params: unknown): Exchange {
  const body = { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
  return http({ group, name: `as ${as}, ${name}`, as, method: 'POST', path, body, headers: { accept } });
}

async function toolsOf(side: Side, path: string): Promise<readonly Tool[]> {
  const response = await fetch(side.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return ((await response.json()) as { result: { tools: readonly Tool[] } }).result.tools;
}

/** Every tool that either build lists, at the platform's door and at the audit's, and what the protocol says besides. */
export async function* mcpPart(sides: readonly Side[]): AsyncIterable<Exchange> {
  yield* newWorld(sides);
  for (const path of ['/mcp?profile=all', '/api/mcp']) {
    const lists = await Promise.all(sides.map((side) => toolsOf(side, path)));
    const tools = [...new Map(lists.flat().map((tool) => [tool.name, tool])).values()];
    yield* protocol(path);
    for (const tool of tools) yield* refused(path, tool);
    for (const tool of tools.filter(({ name }) => !takesAway(name))) yield* called(path, tool);
    yield* newWorld(sides);
    for (const tool of inOrder(
      tools.filter((one) => takesAway(one.name)),
      ({ name }) => name,
    ))
      yield* called(path, tool);
  }
  yield* agents();
}

const call = (path: string, { name }: Tool, about: string, as: Caller, given: unknown) =>
  rpc(path, `tool ${name}`, about, as, 'tools/call', { name, arguments: given });

function* called(path: string, tool: Tool): Iterable<Exchange> {
  const { inputSchema: schema, name } = tool;
  for (const as of ['nobody', 'stranger', 'service key', 'admin', 'owner'] as const)
    yield call(path, tool, 'plain', as, sampleObject(schema, `${name}/`));
  yield call(path, tool, 'with all members', 'owner', sampleObject(schema, `${name}/`, true));
}

function* refused(path: string, tool: Tool): Iterable<Exchange> {
  for (const { name, value } of badVariants(tool.inputSchema, `${tool.name}/`))
    yield call(path, tool, name, 'owner', value);
  yield call(path, tool, 'a list', 'owner', []);
}

function* protocol(path: string): Iterable<Exchange> {
  const group = `protocol ${path}`;
  const info = { capabilities: {}, clientInfo: { name: 'wire', version: '1' } };
  for (const protocolVersion of ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28', 'no-such'])
    yield rpc(path, group, protocolVersion, 'nobody', 'initialize', { protocolVersion, ...info });
  for (const method of [
    'ping',
    'tools/list',
    'resources/list',
    'prompts/list',
    'notifications/initialized',
    'no/such',
    'tools/call',
  ])
    yield rpc(path, group, method, 'nobody', method, undefined);
  yield rpc(path, group, 'an unknown tool', 'owner', 'tools/call', { name: 'no_such_tool', arguments: {} });
  for (const body of [
    '',
    '{',
    '[]',
    '5',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  ])
    yield http({ group, name: `body ${body}`, method: 'POST', path, body, headers: { accept } });
  for (const profile of ['core', 'coordination', 'data', 'buyer', 'no-such'])
    yield rpc(`/mcp?profile=${profile}`, group, profile, 'nobody', 'tools/list', undefined);
  yield http({ group, name: 'a look', method: 'GET', path });
  yield http({ group, name: 'a stream', method: 'GET', path, headers: { accept: 'text/event-stream' }, streams: true });
  yield http({ group, name: 'an end', method: 'DELETE', path });
  yield http({
    group,
    name: 'a foreign origin',
    method: 'POST',
    path,
    headers: { accept, origin: 'https://evil.example' },
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
  });
}

/** The other protocols between agents. */
function* agents(): Iterable<Exchange> {
  for (const path of ['/api/a2a', '/api/near-agents']) {
    const group = `protocol ${path}`;
    for (const method of [
      'message/send',
      'tasks/get',
      'tasks/cancel',
      'agent/getAuthenticatedExtendedCard',
      'SendMessage',
      'GetTask',
      'no/such',
    ])
      for (const params of [
        undefined,
        {},
        { id: 'no-such' },
        {
          message: {
            role: 'user',
            messageId: 'wire',
            kind: 'message',
            parts: [{ kind: 'text', text: 'audit localhost' }],
          },
        },
      ])
        yield rpc(path, group, method, 'nobody', method, params);
    yield http({ group, name: 'a look', method: 'GET', path });
  }
  for (const path of [
    '/.well-known/agent-card.json',
    '/.well-known/agent.json',
    '/.well-known/mcp.json',
    '/llms.txt',
    '/robots.txt',
  ])
    yield http({ group: 'well-known', name: 'fetched', method: 'GET', path });
}
