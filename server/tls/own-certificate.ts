import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** The operator's own certificate, as its files say. */
export interface OwnCertificate {
  /** Whether it is for a host. */
  readonly covers: (host: string) => boolean;
  readonly context: () => SecureContext;
  readonly stop: () => void;
}

/** How often the files are looked at, in milliseconds. */
const lookMs = 30_000;

interface Read {
  readonly leaf: X509Certificate;
  readonly context: SecureContext;
  readonly changedAt: number;
}

/**
 * Reads the operator's certificate, and again when its files have changed. What cannot be used then is told of, and the one
 * that is there stays.
 *
 * @throws when the files cannot be used at the start
 */
export async function openOwnCertificate(
  files: CertificateFiles,
  log: Logger,
  everyMs = lookMs,
): Promise<OwnCertificate> {
  let current = await read(files);
  let refused = 0;
  const timer = setInterval(() => void look(), everyMs).unref();

  async function look(): Promise<void> {
    try {
      const changedAt = await lastChange(files);
      if (changedAt === current.changedAt || changedAt === refused) return;
      refused = changedAt;
      current = await read(files);
      log.info({ not_after: current.leaf.validTo }, 'The certificate of TLS_CERT_FILE was read again.');
    } catch (error) {
      log.warn({ err: error }, 'TLS_CERT_FILE has changed and cannot be used; the certificate before it stays.');
    }
  }

  return {
    covers: (host) => current.leaf.checkHost(host) !== undefined,
    context: () => current.context,
    stop: () => clearInterval(timer),
  };
}

async function read(files: CertificateFiles): Promise<Read> {
  const changedAt = await lastChange(files);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  const leaf = new X509Certificate(cert);
  return { leaf, changedAt, context: createSecureContext({ cert, key, minVersion: 'TLSv1.2' }) };
}

async function lastChange({ certificate, key }: CertificateFiles): Promise<number> {
  const [one, other] = await Promise.all([stat(certificate), stat(key)]);
  return one.mtimeMs + other.mtimeMs;
}
