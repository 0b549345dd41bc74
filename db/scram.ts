import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * The SCRAM-SHA-256 verifier of a password as PostgreSQL stores it. Sent instead of the password, so that the clear
 * text reaches neither the server nor its log. RFC 5802; 4096 rounds, as PostgreSQL itself takes.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const rounds = 4096;
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, rounds, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
