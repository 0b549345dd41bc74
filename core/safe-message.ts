/** Replaces a secret. */
export const censor = '[redacted]';

/**
 * A text without the passwords of URLs and without the parameters that drizzle writes into its messages. Works on plain
 * text and on a line of JSON alike.
 */
export function maskSecrets(text: string): string {
  let masked = text;
  if (masked.includes('://'))
    masked = masked.replace(/([a-z][a-z0-9+.-]*:\/\/[^\s:/@"\\]*):[^\s/"\\]*@/gi, `$1:${censor}@`);
  if (masked.includes('params: ')) masked = masked.replace(/(\n|\\n)params: (?:[^"\\]|\\.)*/g, `$1params: ${censor}`);
  return masked;
}

/** The message of an error, without secrets: what may be logged, and stored beside a failed job. */
export function safeMessage(error: unknown): string {
  if (!(error instanceof Error)) return maskSecrets(String(error));
  const { code } = error as { code?: unknown };
  // Class 22 (data exceptions) quotes the offending value: `invalid input syntax for type uuid: "…"`.
  const quotesValue = typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code);
  return maskSecrets(quotesValue ? error.message.replace(/"[\s\S]*"/g, '"…"') : error.message);
}
