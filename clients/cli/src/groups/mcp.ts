import type { Readable } from 'node:stream';
import type { Command, Group } from '../command.ts';
import { failureOf } from '../failure.ts';
import { readBinding } from '../files/bindings.ts';
import { keepKeys, keptKeys } from '../files/project-keys.ts';
import type { Bound } from '../mcp/host.ts';
import { apiBase } from '../net/api-base.ts';
import { principalCredential } from '../net/credential.ts';
import { findOrg, findProject, roomOfEnvironment } from '../resolve.ts';

const mcp: Command = {
  words: 'mcp',
  summary: 'Give a model the gateway’s tools, over standard input and output.',
  about: [
    'It is started by the program that hosts the model, and speaks the Model Context Protocol until its input ends. Calls are signed by the wallet in use, as commands are; organization, room and project are those of the folder it is started in, until the model makes or chooses others. Those are its own: they change nothing for commands. SVC_MCP_PROFILE chooses which tools there are.',
  ],
  examples: [['As the program that a host starts', 'mcp']],
  streams: true,
  async run({ cli, exitWith, perform }) {
    const [{ runMcpBridge }, { url }] = await Promise.all([import('../mcp/bridge.ts'), apiBase(cli)]);
    /** What calls mean from now on, in this process alone: the terminal of the person goes by what they chose. */
    let own: Bound = {};
    /** If the save fails, the created resource still exists, and the answer says so. */
    const kept = async (id: string, keep: () => Promise<void>) => {
      try {
        await keep();
      } catch (error) {
        cli.stderr.write(`svc: what is known of ${id} is not kept here: ${failureOf(error).message}\n`);
      }
    };
    const code = await runMcpBridge({
      apiBase: url,
      version: cli.version,
      env: cli.env,
      stdin: cli.stdin as Readable,
      stdout: cli.stdout,
      stderr: cli.stderr,
      signal: cli.signal,
      headersFor: async (at) => (await principalCredential(cli, { url: at, apiBase: url })).headers,
      bound: async () => {
        const [project_id, org_id, { room }] = await Promise.all([findProject(cli), findOrg(cli), readBinding(cli)]);
        const { SVC_ROOM: set } = cli.env;
        return { project_id, org_id, room_key: set === undefined ? room : roomOfEnvironment(set).room, ...own };
      },
      projectKeys: async (id) => {
        const { anon_key, service_key } = (await keptKeys(cli, url))[id] ?? {};
        return anon_key === undefined || service_key === undefined ? undefined : { anon_key, service_key };
      },
      // A call that only looks up keys does not change the active project.
      saveProjectKeys: (id, keys, isNew) =>
        kept(id, async () => {
          if (isNew) own = { ...own, project_id: id };
          await keepKeys(cli, url, id, keys);
        }),
      useOrg: (id) => {
        own = { org_id: id, project_id: undefined, room_key: undefined };
      },
      useProject: (id) => {
        own = { ...own, project_id: id, room_key: undefined };
      },
      run: perform,
    });
    exitWith(code);
    return undefined;
  },
};

export const group: Group = { name: 'mcp', about: [mcp.summary], commands: [mcp] };
