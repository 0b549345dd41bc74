/** The cookie of a session on a project's host. Its prefix has browsers hold it to that host, and from scripts. */
const cookieName = '__Host-Http-svc_session';

/** A session as its cookie shows it; whether it is one is for the project's database to say. */
export interface ShownSession {
  readonly sessionId: string;
  readonly secret: string;
}

const form = /^v1\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/;

/** What a `Cookie` header shows; two cookies of the name, or one of another form, are `malformed`. */
export function readSessionCookie(header: string | undefined): ShownSession | 'malformed' | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, at).trim() === cookieName ? [pair.slice(at + 1).trim()] : [];
  });
  if (values.length === 0) return undefined;
  const [, sessionId, secret] = (values.length === 1 ? form.exec(values[0]!) : null) ?? [];
  return sessionId === undefined || secret === undefined ? 'malformed' : { sessionId, secret };
}

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';

/** @param until when the session ends by itself */
export function sessionCookie({ sessionId, secret }: ShownSession, until: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((until.getTime() - now.getTime()) / 1000));
  return `${cookieName}=v1.${sessionId}.${secret}; Max-Age=${seconds}; ${attributes}`;
}

export const clearedCookie = `${cookieName}=; Max-Age=0; ${attributes}`;
