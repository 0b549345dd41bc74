import { join } from 'node:path';
import type { PlatformPlace } from '../../engines/sandbox/egress.ts';
import { createLocalRunner } from '../../engines/sandbox/local-runner.ts';
import type { ServiceSettings, Services } from '../../kernel/run/context.ts';
import { FunctionHost } from '../../resolvers/functions/function-host.ts';
import { InvocationRecord } from '../../resolvers/functions/shared/invocation-record.ts';
import { jobContext } from '../workers.ts';
import type { Start } from './part.ts';

const apiBaseOf = ({ publicBaseUrl, mailBaseUrl }: ServiceSettings): string => publicBaseUrl ?? mailBaseUrl;

const never = new AbortController().signal;

/** Runs the functions of projects on this machine. The boxes that keep them apart are made when the first one is needed. */
export function openFunctions({ options, lifecycle }: Start, services: () => Services): FunctionHost {
  const { config, log } = options;
  const trusted = config.functionsIsolation === 'optional';
  const functions = new FunctionHost({
    services,
    engine: {
      async start(events) {
        const runner = await createLocalRunner({
          folder: join(config.dataDir, 'functions'),
          events,
          trusted,
          platform: () => platformOf(services().settings, config.host),
        });
        const { probe } = runner;
        if (probe.rung === 'namespaces') return { ...runner, standing: { functions: 'isolated', reason: null } };
        const { reason } = probe;
        log.warn(
          { reason },
          `Functions cannot be kept apart on this machine: ${trusted ? 'they run without isolation' : 'none are run'}.`,
        );
        return { ...runner, standing: { functions: trusted ? 'trusted' : 'unavailable', reason } };
      },
      apiBase: () => apiBaseOf(services().settings),
    },
    records: new InvocationRecord({ log, context: () => jobContext(services(), never) }),
  });
  lifecycle.onDrain('functions', () => functions.close());
  return functions;
}

/** Where functions reach this platform: without a public address, the listener of this node. */
function platformOf(settings: ServiceSettings, host: string): PlatformPlace {
  const { protocol, hostname, port: given } = new URL(apiBaseOf(settings));
  const port = given === '' ? (protocol === 'https:' ? 443 : 80) : Number(given);
  if (settings.publicBaseUrl !== undefined) return { host: hostname, port };
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return { host: hostname, port, at: { address: everywhere[host] ?? host, port } };
}
