import type { Context } from '../../kernel/run/context.ts';
import { a2aPath } from './perform.ts';
import { skills } from './skills.ts';

export const cardPath = '/.well-known/agent-card.json';

/** How tasks are paid for. Contract 00, section 4.4. */
export const x402Extension = 'https://github.com/google-a2a/a2a-x402/v0.1';

const reads = ['text/plain', 'application/json'];
const writes = ['application/json', 'text/markdown'];

/**
 * What this agent can do and where it is spoken to: one card for readers of both versions, each of which looks at members
 * of its own and leaves the rest. Contract 00, section 4.3.
 */
export function agentCard({ services, request }: Context, version: string): object {
  const base = services.settings.publicBaseUrl ?? request.baseUrl;
  const url = base + a2aPath;
  return {
    name: 'svc-gateway audit agent',
    description: 'Audits how well a public site can be found, understood and cited by AI.',
    version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    // For readers of 0.3.
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    provider: { organization: 'svc-gateway', url: base },
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        { uri: x402Extension, description: 'The full audit is paid for by x402 inside the task.', required: false },
      ],
    },
    defaultInputModes: reads,
    defaultOutputModes: writes,
    skills: skills.map(({ id, name, description, tags, examples }) => ({
      id,
      name,
      description,
      tags,
      examples,
      inputModes: reads,
      outputModes: writes,
    })),
  };
}
