import {ScentCommand} from '../command.ts'
import {outputFlags} from '../terminal/flags.ts'

export default class Version extends ScentCommand {
  static override summary = 'Show the version of scent and of what it runs on.'
  static override description =
    'Give its output with a question or a bug report. `scent --version` prints the same on one line.'
  static override examples = ['<%= config.bin %> version', '<%= config.bin %> version --json']
  static override flags = {...outputFlags}

  async run(): Promise<Record<string, string>> {
    await this.parse(Version)
    const {arch, platform, versions} = process
    const document = {version: this.config.version, node: versions.node, platform, arch}
    this.show({
      rows: [document],
      upright: true,
      columns: [
        {key: 'version', header: 'scent', get: ({version}) => version},
        {key: 'node', header: 'Node.js', get: ({node}) => node},
        {key: 'platform', header: 'Platform', get: () => `${platform}-${arch}`},
      ],
    })
    return document
  }
}
