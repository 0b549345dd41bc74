import { type Envelope, refusal } from '../../graph/envelope.ts';
import { renewed } from '../../session/person.ts';
import { session } from '../../session/session.ts';
import { signIn } from '../../session/siwx.ts';
import { saveBlob } from '../tables/download.ts';

/** What a request of this page shows: the word of a person's session, or a signature of the wallet. */
async function credentialOf(path: string): Promise<Readonly<Record<string, string>>> {
  const current = session.get();
  if (current.state !== 'in') return {};
  const { member } = current;
  return member.kind === 'person'
    ? { 'x-svc-csrf': (await renewed(member)).csrf }
    : { 'sign-in-with-x': await signIn(member, path) };
}

/** Saves an archive that is ready as a file. @returns why it could not be had */
export async function saveArchive(project: string, archive: string): Promise<Envelope | undefined> {
  const path = `/projects/v1/${project}/archives/${archive}/download`;
  try {
    const answer = await fetch(path, { headers: await credentialOf(path) });
    if (!answer.ok) {
      const { code, message } = (await answer.json()) as { readonly code: string; readonly message: string };
      return refusal(code, message);
    }
    saveBlob(`${project}-${archive}.svcar`, await answer.blob());
    return undefined;
  } catch (error) {
    return refusal('NO_ANSWER', `The archive could not be read: ${(error as Error).message}`);
  }
}
