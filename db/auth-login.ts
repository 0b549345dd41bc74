import type pg from 'pg';
import type { KeyRing } from '../core/keys.ts';
import { authGroup } from './project-template/auth.ts';
import { scramVerifier } from './scram.ts';

/**
 * The login by which the gateway reaches `auth` in project databases. Each installation has its own, named after its
 * root secret, so that two of them may share a server; what it may do it has from the group that the template grants to.
 */
export class AuthLogin {
  readonly name: string;
  readonly #keys: KeyRing;

  constructor(keys: KeyRing) {
    this.#keys = keys;
    this.name = `${authGroup}_${keys.fingerprints()[0]!.slice(0, 16)}`;
  }

  /** Makes the group and the login, unless they are among the roles of the server. */
  async prepare(client: pg.Client, roles: ReadonlySet<string>): Promise<void> {
    if (!roles.has(authGroup)) await client.query(`create role ${authGroup} nologin noinherit`);
    if (roles.has(this.name)) return;
    await client.query(`create role ${this.name} ${this.#attributes()} in role ${authGroup}`);
    await this.#pin(client);
  }

  /** Sets password and settings back. */
  async restore(pool: pg.Pool): Promise<void> {
    await pool.query(`alter role ${this.name} ${this.#attributes()}`);
    await this.#pin(pool);
  }

  #attributes(): string {
    const verifier = scramVerifier(this.#keys.mac('database-passwords', this.name).toString('base64url'));
    return `login inherit nosuperuser nocreatedb nocreaterole nobypassrls password '${verifier}'`;
  }

  /** Names in a statement mean what they say: nothing that a tenant made can shadow them. */
  async #pin(client: pg.Client | pg.Pool): Promise<void> {
    await client.query(`alter role ${this.name} set search_path = ''`);
    await client.query(`alter role ${this.name} set statement_timeout = '20s'`);
  }
}
