import type { Services } from '../../kernel/run/context.ts';
import { openOwnCertificate } from '../tls/own-certificate.ts';
import { jobContext } from '../workers.ts';
import type { Start } from './part.ts';

const never = new AbortController().signal;

/**
 * Takes mail where the operator wants it.
 *
 * @returns the port, once it listens; undefined where no mail comes in
 */
export async function openMailListener({ options, lifecycle }: Start, services: Services): Promise<number | undefined> {
  const { config, log } = options;
  const { mailListen, tlsFiles, dnsServers, platformDomain } = config;
  if (mailListen === undefined) return undefined;
  const own = tlsFiles === undefined ? undefined : await openOwnCertificate(tlsFiles, log);
  if (own !== undefined) lifecycle.onClose(own.stop);
  // Loaded with the setting: most installations take no mail.
  const { startMailListener } = await import('../mail/mail-listener.ts');
  const listener = await startMailListener({
    ...mailListen,
    name: `mail.${platformDomain}`,
    dnsServers,
    tls: own?.context,
    contextOf: (address) => {
      const ctx = jobContext(services, never);
      return { ...ctx, request: { ...ctx.request, address } };
    },
    log,
  });
  lifecycle.onDrain('mail', listener.stop);
  return listener.port;
}
