import type { Cli } from '../cli.ts';
import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import type { Credential } from '../net/credential.ts';
import { operationCommand, type Shape, take } from '../operation-command.ts';
import { rows } from '../operations/admin.ts';

/** The admin's key. Without one it is the active wallet, which the gateway may accept as an admin's. */
const credential = async ({ env }: Cli): Promise<Credential | undefined> =>
  env.SVC_ADMIN_KEY === undefined ? undefined : { kind: 'admin', headers: { 'x-admin-key': env.SVC_ADMIN_KEY } };

const admin = (words: string, row: (typeof rows)[keyof typeof rows], shape: Shape) =>
  operationCommand(`admin ${words}`, row, { credential, ...shape });

const org = '0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70';
const vault = '9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70';

export const group: Group = {
  name: 'admin',
  about: [
    'svc admin: what the platform admin of a gateway does. SVC_ADMIN_KEY has the key of the installation; it is never written anywhere.',
  ],
  commands: everyCommand(
    rows,
    [
      admin('lease-perpetual', rows['orgs.setLeasePerpetual'], {
        takes: [take('org')],
        flags: { lease_perpetual: null },
        more: [
          { name: 'enable', type: 'boolean', about: 'Keep it active for ever.' },
          { name: 'disable', type: 'boolean', about: 'Have its lease count again.' },
        ],
        set: ({ flags }) => {
          if (flags.is('enable') === flags.is('disable'))
            throw badUsage('Give either --enable or --disable.', { field: 'enable' });
          return { lease_perpetual: flags.is('enable') };
        },
        examples: [['For ever', `admin lease-perpetual ${org} --enable`]],
      }),
      admin('limits', rows['orgs.setLimits'], {
        takes: [take('org')],
        examples: [['Fewer reads', `admin limits ${org} --limits '{"reads_per_second":50}'`]],
      }),
      admin('credit', rows['billing.addCredit'], {
        takes: [take('org')],
        flags: { amount_usd_micros: 'amount' },
        examples: [['Ten dollars', `admin credit ${org} --amount 10000000 --reference INV-17`]],
      }),
      admin('archive', rows['projects.archive'], {
        takes: [take('project')],
        examples: [['Put it away', 'admin archive prj_0kz3m']],
      }),
      admin('reactivate', rows['projects.reactivate'], {
        takes: [take('project')],
        examples: [['Take it out again', 'admin reactivate prj_0kz3m']],
      }),
      admin('limits get', rows['orgs.getLimits'], {
        takes: [take('org')],
        examples: [['What holds', `admin limits get ${org}`]],
      }),
      admin('orgs', rows['orgs.listAll'], {
        flags: { after: 'cursor' },
        examples: [['By a part of the name', 'admin orgs --search acme']],
      }),
      admin('feedback', rows['feedback.list'], {
        flags: { after: 'cursor' },
        examples: [['What was said', 'admin feedback']],
      }),
      admin('incident list', rows['incidents.list'], {
        flags: { after: 'cursor' },
        examples: [['Those that last', 'admin incident list --status ongoing']],
      }),
      admin('incident declare', rows['incidents.declare'], {
        examples: [
          [
            'Of nobody in particular',
            'admin incident declare --subsystem mail --severity major --scope global --summary "Mail is late"',
          ],
        ],
      }),
      admin('incident resolve', rows['incidents.resolve'], {
        takes: [take('incident', { name: 'incident_id' })],
        examples: [['Over', 'admin incident resolve inc_0kz3m']],
      }),
      admin('job-types register', rows['jobs.registerType'], {
        takes: [take('job_type')],
        seek: false,
        examples: [
          [
            'A function as a type',
            'admin job-types register render_video --project prj_0kz3m --function render --description "Renders a video" --per-second-usd-micros 100',
          ],
          [
            'A command as a type',
            'admin job-types register ocr --command tesseract,/in/page.png,/out/page --root debian --memory-mb 1024 --description "Reads text from a picture"',
          ],
        ],
      }),
      admin('job-types list', rows['jobs.registeredTypes'], {
        columns: ['job_type', 'project_id', 'function', 'command', 'price', 'limits'],
        examples: [['What there is', 'admin job-types list']],
        empty: 'No types but those that are built in.',
      }),
      admin('job-types remove', rows['jobs.removeType'], {
        takes: [take('job_type')],
        examples: [['It is not offered any more', 'admin job-types remove render_video']],
      }),
      admin('ai-addon activate', rows['ai.activateAddon'], {
        takes: [take('project')],
        examples: [
          ['Half a million words', 'admin ai-addon activate prj_0kz3m --addon translation --included-words 500000'],
        ],
      }),
      admin('ai-addon deactivate', rows['ai.deactivateAddon'], {
        takes: [take('project')],
        examples: [['No more', 'admin ai-addon deactivate prj_0kz3m --addon translation']],
      }),
      admin('outbox', rows['mail.listOutbox'], {
        flags: { after: 'cursor' },
        examples: [['The latest', 'admin outbox --limit 10']],
      }),
      admin('test-mail', rows['mail.sendTest'], {
        takes: [take('to')],
        examples: [['Does it go out?', 'admin test-mail ada@example.com']],
      }),
      admin('vault register', rows['vaults.register'], {
        takes: [take('org'), take('project_id')],
        examples: [['Of a project', `admin vault register ${org} prj_0kz3m`]],
      }),
      admin('vault enrol-key', rows['vaults.enrolKey'], {
        takes: [take('org'), take('principal', { name: 'principal_id' })],
        examples: [
          [
            'Of a member',
            `admin vault enrol-key ${org} prn_0kz3m --fingerprint SHA256:abc --custody-scheme device_keystore`,
          ],
        ],
      }),
      admin('vault report-lost-key', rows['vaults.reportLostKey'], {
        takes: [take('org'), take('principal', { name: 'principal_id' })],
        examples: [['Of a member', `admin vault report-lost-key ${org} prn_0kz3m`]],
      }),
      admin('vault admit-writer', rows['vaults.admitWriter'], {
        takes: [take('org'), take('vault', { name: 'vault_id' })],
        examples: [['A key', `admin vault admit-writer ${org} ${vault} --encryption-key-id ${vault}`]],
      }),
      admin('vault push', rows['vaults.takePush'], {
        takes: [take('org'), take('vault', { name: 'vault_id' })],
        examples: [['By a writer', `admin vault push ${org} ${vault} --encryption-key-id ${vault}`]],
      }),
      admin('vault rotate-epoch', rows['vaults.rotateEpoch'], {
        takes: [take('org'), take('vault', { name: 'vault_id' })],
        examples: [['By a surviving writer', `admin vault rotate-epoch ${org} ${vault} --encryption-key-id ${vault}`]],
      }),
    ],
    { credential },
  ),
};
