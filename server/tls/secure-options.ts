import { createSecureContext, type SecureContext, type TlsOptions } from 'node:tls';
import type { OwnCertificate } from './own-certificate.ts';

/** A context without a certificate: a handshake under it ends with the alert that there is none. */
const none = createSecureContext({ minVersion: 'TLSv1.2' });

/** How long a client has for its handshake, in milliseconds. */
const handshakeMs = 10_000;

/**
 * What a TLS listener needs: each connection is given the certificate of the host that it names. One that names a host without
 * a certificate, or none, is refused by an alert before anything of HTTP is read: with a certificate of last resort, Node would
 * give that one instead.
 */
export function secureOptions(
  own: OwnCertificate | undefined,
  hosts: { readonly find: (host: string) => Promise<SecureContext | undefined> },
): TlsOptions {
  return {
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeMs,
    SNICallback: (servername, done) => {
      const host = servername.toLowerCase().replace(/\.$/, '');
      if (own?.covers(host) === true) return done(null, own.context());
      void hosts.find(host).then((found) => done(null, found ?? none));
    },
  };
}
