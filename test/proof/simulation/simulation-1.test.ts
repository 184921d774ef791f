import {playPart} from './seeds.ts'

playPart(1)
