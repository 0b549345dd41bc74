import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';

/** Asks a TLS listener as one of its hosts, trusting one authority. @throws what ends the handshake */
export async function secureCall(
  secureUrl: string,
  ca: string,
  host: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const { hostname, port } = new URL(secureUrl);
  const asked = request({ hostname, port, path, servername: host, ca, agent: false, headers: { host, ...headers } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, text: await text(response) };
}

/** Makes a handshake. @returns the certificate that was given, or the code of what ended it */
export async function handshake(secureUrl: string, ca: string, servername: string | undefined) {
  const { hostname, port } = new URL(secureUrl);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ca,
    ...(servername === undefined ? { checkServerIdentity: () => undefined } : { servername }),
  });
  try {
    await once(socket, 'secureConnect');
    const { serialNumber, subjectaltname } = socket.getPeerCertificate();
    return { serialNumber, names: subjectaltname };
  } catch (error) {
    return { refused: (error as NodeJS.ErrnoException).code };
  } finally {
    socket.destroy();
  }
}
