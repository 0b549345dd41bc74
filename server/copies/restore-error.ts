/** A restore cannot begin or go on, in one sentence that says what to do. */
export class RestoreError extends Error {
  override readonly name: string = 'RestoreError';
}

/** The root secret is in the backup alone, and nothing was given that opens it. */
export class PassphraseNeededError extends RestoreError {
  override readonly name = 'PassphraseNeededError';

  constructor() {
    super('The root secret is encrypted in this backup: give its passphrase as SVC_BACKUP_PASSPHRASE.');
  }
}
