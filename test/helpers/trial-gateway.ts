import { pino } from 'pino';
import { startApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';

// The gateway as `npm start` runs it, but for the sites of its trial: no setting of the product leads audits to them.
const { hosts, ca } = JSON.parse(process.env.TRIAL!) as { hosts: [string, number][]; ca: string };
const config = readConfig(process.env);
const app = await startApp({
  config,
  databaseUrl: config.databaseUrl!,
  roots: [config.secretKey!],
  version: '0.0.0-trial',
  log: pino({ level: config.logLevel }),
  auditTrial: { hosts: new Map(hosts), ca },
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
process.stdout.write(`serves at ${app.url}\n`);
