import { randomUUID } from 'node:crypto';
import type { Arguments, ListedTool } from './defaults.ts';
import type { McpBridgeHost } from './host.ts';

/** Who the model of one `svc mcp` is in rooms, so that it speaks, claims and acknowledges as one presence. */
export class RoomSelf {
  readonly #env: McpBridgeHost['env'];
  readonly #process = randomUUID();
  #name: string | undefined;

  constructor(env: McpBridgeHost['env']) {
    this.#env = env;
    this.#name = env.SVC_AGENT_NAME;
  }

  /** A call with who makes it, where the tool asks for that and the call does not say it. */
  speaking(tool: ListedTool, args: Arguments): Arguments {
    const { properties = {} } = tool.inputSchema;
    const has = (one: string) => properties[one] !== undefined;
    const isSaid = args.presence_id !== undefined || args.session_key !== undefined;
    // A call that reads all there is needs no presence.
    const isReader = has('addressed_to') && args.addressed_to === undefined;
    if (!has('session_key') || isSaid || isReader) return args;
    const { SVC_PRESENCE_ID: presence_id, SVC_SESSION_KEY: own } = this.#env;
    if (presence_id !== undefined && has('presence_id')) return { presence_id, ...args };
    // A room is joined again under another name as another presence.
    const name = isJoining(tool, args) ? args.requested_name : this.#name;
    const session_key = own ?? [this.#process, ...(name === undefined ? [] : [name])].join(' ').slice(0, 128);
    return { session_key, ...(name === undefined || !has('requested_name') ? {} : { requested_name: name }), ...args };
  }

  /** Goes by the name under which a room was joined; one that was refused is no presence's. */
  done(tool: ListedTool, args: Arguments): void {
    if (isJoining(tool, args)) this.#name = args.requested_name;
  }
}

const isJoining = ({ name }: ListedTool, args: Arguments): args is Arguments & { readonly requested_name: string } =>
  name === 'join_room' && typeof args.requested_name === 'string';
